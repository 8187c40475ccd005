#include "tandem/layers/add.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::layers {
namespace {

class AddLayer : public Layer {
 public:
  std::string class_name() const override { return "Add"; }

  void build_many(const Shapes& inputs) override { output_shapes(inputs); }

  Shapes output_shapes(const Shapes& inputs) override {
    if (inputs.size() < 2) throw_wrong_inputs(inputs);
    Shape out = inputs.front();
    for (const auto& shape : inputs) {
      if (shape.rank() != out.rank()) throw_wrong_inputs(inputs);
      for (int64_t i = 0; i < out.rank(); ++i) {
        if (out[i] == shape[i] || shape[i] == 1) continue;
        if (out[i] == 1 || out[i] == Shape::kUnknown) {
          out[i] = shape[i];
        } else if (shape[i] != Shape::kUnknown) {
          throw_wrong_inputs(inputs);
        }
      }
    }
    return {out};
  }

  Tensors call_many(const Tensors& inputs, const CallContext&) override {
    bool equal = inputs.size() >= 2;
    for (const auto& x : inputs) equal = equal && x.sizes() == inputs.front().sizes();
    if (!equal) {  // repeated axes, or a mistake
      Shapes shapes;
      for (const auto& x : inputs) shapes.push_back(Shape::of(x.sizes().vec()));
      output_shapes(shapes);
    }
    Tensor sum = inputs[0] + inputs[1];
    for (int64_t i = 2; i < inputs.size(); ++i) sum = equal ? sum.add_(inputs[i]) : sum + inputs[i];
    return sum;
  }

 private:
  [[noreturn]] void throw_wrong_inputs(const Shapes& shapes) const {
    std::string list;
    for (const auto& shape : shapes) list += (list.empty() ? "" : ", ") + shape.to_string();
    throw InvalidArgument(c10::str("layer '", name(), "' (Add): must get two or more inputs of one shape, got ", list));
  }
};

}  // namespace

Add::Add(AddOptions options) : LayerHandle(make_remembered<AddLayer>(options.name)) {}

Add Add::from_config(const Config&) { return Add(); }

}  // namespace tandem::layers

#include "tandem/layers/concatenate.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/layers/masks.h"
#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class ConcatenateLayer : public MergingLayer {
 public:
  explicit ConcatenateLayer(int64_t axis) : axis_(axis) {}

  std::string class_name() const override { return "Concatenate"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"axis", axis_}}); }

  Shapes output_shapes(const Shapes& inputs) override {
    if (inputs.empty()) throw_wrong_inputs(must(), inputs);
    Shape out = inputs.front();
    const int64_t axis = axis_ < 0 ? axis_ + out.rank() : axis_;
    if (axis < 1 || axis >= out.rank()) throw_wrong_inputs(must(), inputs);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      Shape other = inputs[i];
      if (other.rank() != out.rank()) throw_wrong_inputs(must(), inputs);
      const int64_t added = other[axis];
      other[axis] = out[axis];
      if (!out.matches(other)) throw_wrong_inputs(must(), inputs);
      out[axis] = added == Shape::kUnknown || out[axis] == Shape::kUnknown ? Shape::kUnknown : out[axis] + added;
    }
    return {out};
  }

  Tensors call_many(const Tensors& inputs, const CallContext&) override {
    for (const auto& x : inputs) {
      if (!fits(x, inputs.front())) throw_wrong_inputs(must(), shapes_of(inputs));
    }
    return at::cat(inputs.vector(), axis_);
  }

  Tensors compute_mask(const Tensors& inputs, const Tensors& masks) override {
    // A mask covers its input's features, so that the axis may be any; an input without one counts everywhere.
    std::vector<Tensor> whole;
    bool any = false;
    for (int64_t i = 0; i < inputs.size(); ++i) {
      any = any || masks[i].defined();
      const auto options = inputs[i].options().dtype(at::kBool);
      whole.push_back(masks[i].defined() ? mask_like(masks[i], inputs[i]).expand_as(inputs[i])
                                         : at::ones({}, options).expand_as(inputs[i]));
    }
    return any ? at::cat(whole, axis_).any(-1) : Tensor();
  }

 private:
  bool fits(const Tensor& x, const Tensor& first) const {
    if (x.dim() != first.dim()) return false;
    const int64_t axis = axis_ < 0 ? axis_ + x.dim() : axis_;
    for (int64_t i = 0; i < x.dim(); ++i) {
      if (i != axis && x.size(i) != first.size(i)) return false;
    }
    return true;
  }

  std::string must() const {
    return c10::str("inputs must have equal shapes except at axis ", axis_, ", which must be theirs and not the batch");
  }

  int64_t axis_;
};

}  // namespace

Concatenate::Concatenate(ConcatenateOptions options)
    : LayerHandle(make_remembered<ConcatenateLayer>(options.name, options.axis)) {}

Concatenate Concatenate::from_config(const Config& config) {
  return Concatenate({.axis = config.get("axis", -1).as_int()});
}

}  // namespace tandem::layers

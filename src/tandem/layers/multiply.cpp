#include "tandem/layers/multiply.h"

#include <ATen/ATen.h>

#include "tandem/layers/masks.h"
#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class MultiplyLayer : public ElementwiseMergeLayer {
 public:
  std::string class_name() const override { return "Multiply"; }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, bool) const override {
    // Each product is kept for the gradients, so that none can be made in place.
    Tensor product = factor(inputs[0]) * factor(inputs[1]);
    for (std::size_t i = 2; i < inputs.size(); ++i) product = product * factor(inputs[i]);
    Tensors masks;
    for (const auto& x : inputs) masks.push_back(mask_of(x));
    const Tensor counted = union_of(masks);
    return counted.defined() ? product * mask_like(counted, product) : product;
  }

 private:
  // An input is 1 where its mask leaves it out, as in Keras.
  static Tensor factor(const Tensor& x) {
    const Tensor mask = mask_of(x);
    return mask.defined() ? at::where(mask_like(mask, x), x, at::ones({}, x.options())) : x;
  }
};

}  // namespace

Multiply::Multiply(MultiplyOptions options) : LayerHandle(make_remembered<MultiplyLayer>(options.name)) {}

Multiply Multiply::from_config(const Config&) { return Multiply(); }

}  // namespace tandem::layers

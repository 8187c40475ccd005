#include "tandem/layers/multiply.h"

#include <ATen/ATen.h>

#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class MultiplyLayer : public ElementwiseMergeLayer {
 public:
  std::string class_name() const override { return "Multiply"; }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, bool) const override {
    // Each product is kept for the gradients, so that none can be made in place.
    Tensor product = inputs[0] * inputs[1];
    for (std::size_t i = 2; i < inputs.size(); ++i) product = product * inputs[i];
    return product;
  }
};

}  // namespace

Multiply::Multiply(MultiplyOptions options) : LayerHandle(make_remembered<MultiplyLayer>(options.name)) {}

Multiply Multiply::from_config(const Config&) { return Multiply(); }

}  // namespace tandem::layers

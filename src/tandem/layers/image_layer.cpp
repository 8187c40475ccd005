#include "tandem/layers/image_layer.h"

#include <ATen/ATen.h>

namespace tandem {
namespace {

[[noreturn]] void throw_wrong_rank(const Layer& layer, const Shape& got) {
  throw_shape_error(layer, "input must have rank 4 (batch, height, width, channels)", got);
}

}  // namespace

Shape ImageLayer::output_shape(const Shape& input) {
  if (input.rank() != 4) throw_wrong_rank(*this, input);
  return shape_for(input);
}

Tensor ImageLayer::call(const Tensor& x, const CallContext&) {
  if (x.dim() != 4) throw_wrong_rank(*this, Shape::of(x.sizes().vec()));
  return compute(x);
}

}  // namespace tandem

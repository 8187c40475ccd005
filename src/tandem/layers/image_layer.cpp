#include "tandem/layers/image_layer.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/layers/spatial_size.h"

namespace tandem {

Shape ImageLayer::output_shape(const Shape& input) {
  if (input.rank() != static_cast<int64_t>(axes_) + 2) throw_wrong_rank(*this, axes_, input);
  return shape_for(input);
}

Tensor ImageLayer::call(const Tensor& x, const CallContext&) {
  if (x.dim() != static_cast<int64_t>(axes_) + 2) throw_wrong_rank(*this, axes_, Shape::of(x.sizes().vec()));
  return compute(x);
}

void throw_wrong_rank(const Layer& layer, std::size_t axes, const Shape& got) {
  throw_shape_error(layer, c10::str("input must have rank ", axes + 2, " (batch, ", spatial_axes(axes), ", channels)"),
                    got);
}

}  // namespace tandem

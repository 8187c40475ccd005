#include "tandem/layers/random_image_layer.h"

#include <ATen/ATen.h>

namespace tandem {

Shape RandomImageLayer::output_shape(const Shape& input) {
  if (input.rank() != 4) throw_wrong_rank(*this, 2, input);
  return shape_for(input);
}

Tensor RandomImageLayer::call(const Tensor& x, const CallContext& context) {
  if (x.dim() != 4) throw_wrong_rank(*this, 2, Shape::of(x.sizes().vec()));
  const Tensor images = x.is_floating_point() ? x : x.to(at::kFloat);
  return context.training ? change(images, context) : keep(images);
}

Tensor RandomImageLayer::draw(const char* what, double low, double high, int64_t rows,
                              const CallContext& context) const {
  const RandomStream stream = noise_stream(context, seed_).fold(what);
  return stream.uniform({rows}, static_cast<uint64_t>(context.first_row)).mul_(high - low).add_(low);
}

Tensor by_row(const Tensor& numbers, const Tensor& images) {
  return numbers.view({-1, 1, 1, 1}).to(images.device(), images.scalar_type());
}

}  // namespace tandem

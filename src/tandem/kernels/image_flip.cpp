#include "tandem/kernels/image_flip.h"

#include <ATen/ops/empty.h>

namespace tandem::kernels {

at::Tensor flip_images(const at::Tensor& images) {
  const ImageSize size = image_size(images, "flip_images");
  at::Tensor flipped = at::empty(images.sizes(), at::kFloat);
  float* to = flipped.mutable_data_ptr<float>();
  with_pixels(images, [&](const auto* from) {
    for (int64_t row = 0; row < images.size(0); ++row)
      flip_image(from + row * size.count(), to + row * size.count(), size);
  });
  return flipped;
}

}  // namespace tandem::kernels

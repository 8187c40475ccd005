#include "tandem/kernels/image_standardize.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::kernels {

void standardize_images(float* images, int64_t rows, int64_t count, float scale, const float* mean) {
  if (!mean) {
    if (scale == 1) return;
    for (int64_t k = 0; k < rows * count; ++k) images[k] *= scale;
    return;
  }
  for (int64_t row = 0; row < rows; ++row, images += count) {
    for (int64_t k = 0; k < count; ++k) images[k] = images[k] * scale - mean[k];
  }
}

void standardize_images(const at::Tensor& images, double scale, const at::Tensor& mean) {
  const ImageSize size = image_size(images, "standardize_images");
  if (images.scalar_type() != at::kFloat) {
    throw InvalidArgument(
        c10::str("standardize_images: images must be float32 to be changed in place, got ", images.toString()));
  }
  if (mean.defined() && (mean.sizes() != images.sizes().slice(1) || mean.scalar_type() != at::kFloat ||
                         !mean.device().is_cpu() || !mean.is_contiguous())) {
    throw InvalidArgument(c10::str("standardize_images: the mean image must be a contiguous float32 CPU tensor ",
                                   images.sizes().slice(1), ", got ", mean.toString(), " ", mean.sizes()));
  }
  standardize_images(images.mutable_data_ptr<float>(), images.size(0), size.count(), static_cast<float>(scale),
                     mean.defined() ? mean.const_data_ptr<float>() : nullptr);
}

}  // namespace tandem::kernels

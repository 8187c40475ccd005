#include "tandem/kernels/image_standardize.h"

#include <ATen/ops/empty.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/kernels/image_batch.h"
#include "tandem/kernels/widest_vectors.h"

namespace tandem::kernels {
namespace {

// For `rows` images of `count` values; `mean` has `count` values, or is null for none.
void standardize_floats(float* images, int64_t rows, int64_t count, float scale, const float* mean) {
  for (int64_t row = 0; row < rows; ++row, images += count) {
    if (mean) {
      for (int64_t k = 0; k < count; ++k) images[k] = images[k] * scale - mean[k];
    } else {
      for (int64_t k = 0; k < count; ++k) images[k] *= scale;
    }
  }
}

void standardize_bytes(const uint8_t* from, float* __restrict to, int64_t rows, int64_t count, float scale,
                       const float* mean) {
  for (int64_t row = 0; row < rows; ++row, from += count, to += count) {
    if (mean) {
      for (int64_t k = 0; k < count; ++k) to[k] = static_cast<float>(from[k]) * scale - mean[k];
    } else {
      for (int64_t k = 0; k < count; ++k) to[k] = static_cast<float>(from[k]) * scale;
    }
  }
}

}  // namespace

at::Tensor standardize_images(const at::Tensor& images, double scale, const at::Tensor& mean) {
  const ImageSize size = image_size(images, "standardize_images");
  if (mean.defined() && (mean.sizes() != images.sizes().slice(1) || mean.scalar_type() != at::kFloat ||
                         !mean.device().is_cpu() || !mean.is_contiguous())) {
    throw InvalidArgument(c10::str("standardize_images: the mean image must be a contiguous float32 CPU tensor ",
                                   images.sizes().slice(1), ", got ", mean.toString(), " ", mean.sizes()));
  }
  const float* subtracted = mean.defined() ? mean.const_data_ptr<float>() : nullptr;
  const bool in_place = images.scalar_type() == at::kFloat;
  at::Tensor result = in_place ? images : at::empty(images.sizes(), at::kFloat);
  float* to = result.mutable_data_ptr<float>();
  with_widest_vectors([&] {
    if (in_place) {
      standardize_floats(to, images.size(0), size.count(), static_cast<float>(scale), subtracted);
    } else {
      standardize_bytes(images.const_data_ptr<uint8_t>(), to, images.size(0), size.count(), static_cast<float>(scale),
                        subtracted);
    }
  });
  return result;
}

}  // namespace tandem::kernels

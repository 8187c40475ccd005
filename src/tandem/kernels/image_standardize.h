#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace tandem::kernels {

/// x = x * scale - mean for `rows` images of `count` values each, in place; `mean` has `count` values, or is null for
/// none. The order is that of Keras's ImageDataGenerator.standardize: rescale first, then the mean of rescaled images.
void standardize_images(float* images, int64_t rows, int64_t count, float scale, const float* mean);

/// The same for a float32 batch (rows, height, width, channels) and a mean image (height, width, channels), which may
/// be undefined. Throws InvalidArgument when types or sizes do not fit.
void standardize_images(const at::Tensor& images, double scale, const at::Tensor& mean);

}  // namespace tandem::kernels

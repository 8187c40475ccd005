#pragma once
#include <ATen/core/Tensor.h>

namespace tandem::kernels {

/// x * scale - mean for a batch (rows, height, width, channels) and a float32 mean image (height, width, channels),
/// which may be undefined: float32 is changed in place and returned, bytes give a new tensor. The order is that of
/// Keras's ImageDataGenerator.standardize: rescale first, then the mean of rescaled images. Throws InvalidArgument when
/// types or sizes do not fit.
at::Tensor standardize_images(const at::Tensor& images, double scale, const at::Tensor& mean);

}  // namespace tandem::kernels

#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace tandem::kernels {

/// Repeats the one channel of `pixels` grey pixels (float or uint8_t) `channels` times each.
template <class T>
void repeat_channels(const T* source, float* target, int64_t pixels, int64_t channels) {
  for (int64_t i = 0; i < pixels; ++i) {
    for (int64_t k = 0; k < channels; ++k) *target++ = static_cast<float>(source[i]);
  }
}

/// A new float32 batch (rows, height, width, channels) of grey images (rows, height, width, 1): for a model that wants
/// colour. Throws InvalidArgument when the images have more than one channel.
at::Tensor repeat_channels(const at::Tensor& images, int64_t channels);

}  // namespace tandem::kernels

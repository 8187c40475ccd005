#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>

#include "tandem/kernels/image_batch.h"

namespace tandem::kernels {

/// Mirrors one line of `width` pixels left to right, in place.
template <class T>
void flip_line(T* line, int64_t width, int64_t channels) {
  T* left = line;
  T* right = line + (width - 1) * channels;
  for (; left < right; left += channels, right -= channels) {
    for (int64_t k = 0; k < channels; ++k) std::swap(left[k], right[k]);
  }
}

/// Mirrors one image left to right, in place.
template <class T>
void flip_image(T* image, const ImageSize& size) {
  for (int64_t i = 0; i < size.height; ++i) flip_line(image + i * size.row(), size.width, size.channels);
}

/// Mirrors one image left to right from `source` (float or uint8_t) to `target`, which must not overlap.
template <class T>
void flip_image(const T* source, float* target, const ImageSize& size) {
  for (int64_t i = 0; i < size.height; ++i, source += size.row(), target += size.row()) {
    for (int64_t j = 0; j < size.width; ++j) {
      const T* from = source + (size.width - 1 - j) * size.channels;
      for (int64_t k = 0; k < size.channels; ++k) target[j * size.channels + k] = static_cast<float>(from[k]);
    }
  }
}

/// A new float32 batch with every image of a batch (rows, height, width, channels) mirrored left to right.
at::Tensor flip_images(const at::Tensor& images);

}  // namespace tandem::kernels

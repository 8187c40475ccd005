#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace tandem::kernels {

/// Size of one image as it lies in memory: rows of pixels, the channels of a pixel side by side.
struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;

  int64_t row() const { return width * channels; }
  int64_t count() const { return height * row(); }
  bool operator==(const ImageSize&) const = default;
};

/// Size of the images of a batch (rows, height, width, channels). Throws InvalidArgument, beginning with `where`,
/// unless it is a contiguous CPU tensor of float32 or uint8 with at least one pixel an image.
ImageSize image_size(const at::Tensor& images, const char* where);

/// Calls f with a pointer to the batch's first value: const float* or const uint8_t*. For what image_size accepts.
template <class F>
decltype(auto) with_pixels(const at::Tensor& images, F&& f) {
  if (images.scalar_type() == at::kByte) return f(images.const_data_ptr<uint8_t>());
  return f(images.const_data_ptr<float>());
}

}  // namespace tandem::kernels

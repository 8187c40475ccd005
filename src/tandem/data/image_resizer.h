#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/tensor.h"

namespace tandem::data {

/// Brings pictures of any size to one size, as tf.image.resize does.
class ImageResizer {
 public:
  /// `interpolation`: "bilinear" or "nearest". Throws InvalidArgument, beginning with `where`, for another, and unless
  /// the sizes are positive.
  ImageResizer(int64_t height, int64_t width, const std::string& interpolation, const char* where);

  int64_t height() const { return height_; }
  int64_t width() const { return width_; }
  bool is_nearest() const { return nearest_; }

  /// From `image`, uint8 (h, w, channels), to height x width x channels floats.
  void operator()(const Tensor& image, float* target) const;

 private:
  int64_t height_, width_;
  bool nearest_;
};

}  // namespace tandem::data

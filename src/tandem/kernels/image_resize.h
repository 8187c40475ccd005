#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "tandem/kernels/fill_mode.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::kernels {

/// Bilinear resize as tf.image.resize and keras.layers.Resizing do it: pixel centres at halves, edges repeated, no
/// smoothing when an image gets smaller. The weights are computed once for all images of a size.
class BilinearResize {
 public:
  /// From images of `from` to `height` x `width`, the channels kept. Throws InvalidArgument unless all sizes are
  /// positive.
  BilinearResize(const ImageSize& from, int64_t height, int64_t width);

  const ImageSize& from() const { return from_; }
  const ImageSize& to() const { return to_; }

  /// Resizes one image of size from(), float or uint8_t, into one of size to().
  template <class T>
  void operator()(const T* source, float* target) const;

 private:
  ImageSize from_;
  ImageSize to_;
  std::vector<AxisTap> rows_;
  std::vector<AxisTap> columns_;
};

/// A new float32 batch (rows, height, width, channels) of `images` resized.
at::Tensor resize_images(const at::Tensor& images, int64_t height, int64_t width);

}  // namespace tandem::kernels

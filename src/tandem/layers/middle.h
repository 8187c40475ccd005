#pragma once
#include <cstdint>

#include "tandem/core/tensor.h"

/// Windows in the middle of images (rows, height, width, channels), contiguous; of an odd remainder the smaller half is
/// before.
namespace tandem {

/// The window of `height` x `width`, which must not be larger than the image.
Tensor middle_of(const Tensor& images, int64_t height, int64_t width);

/// The largest window that has the shape of `height` x `width`, as Keras finds it.
Tensor middle_in_ratio(const Tensor& images, int64_t height, int64_t width);

/// n times `target` over `other`, in float32 and cut to a whole number as Keras does.
int64_t size_in_ratio(int64_t n, int64_t target, int64_t other);

}  // namespace tandem

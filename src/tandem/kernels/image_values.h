#pragma once
#include <cstdint>

namespace tandem::kernels {

/// Adds `intensity` to all `count` values of one image, in place, and keeps them between the least and the largest
/// value that it had: Keras's apply_channel_shift.
void shift_values(float* image, int64_t count, float intensity);

/// Multiplies all `count` values of one image by `factor`, in place, cut off at 0 and 255: Keras's
/// apply_brightness_shift(scale=False). An image with values outside [0, 255] is brightened above its least value and
/// cut off at its largest, as there. Keras takes a detour over a picture of 256 levels; the values here are not rounded
/// to any.
void brighten(float* image, int64_t count, float factor);

}  // namespace tandem::kernels

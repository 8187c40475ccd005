#pragma once
#include <cstdint>

#include "tandem/kernels/affine_map.h"
#include "tandem/kernels/fill_mode.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::kernels {

/// Moves the pixels of one image from `source` to `target`, both of `size`, which must not overlap: bilinear between
/// pixels, as scipy.ndimage.affine_transform(order=1), which Keras's apply_affine_transform calls, for any fill mode.
/// Shifts, mirrored or not, take the faster way of shift_image; whole-pixel ones are exact. Throws InvalidArgument
/// when the map holds a number that is not finite or leads further than 1e9 pixels away.
template <class T>  // float or uint8_t
void warp_image(const T* source, float* target, const ImageSize& size, const AffineMap& map, const Fill& fill = {});

}  // namespace tandem::kernels

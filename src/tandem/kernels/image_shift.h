#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "tandem/kernels/fill_mode.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::kernels {

/// How one image is moved: output(i, j) = input(i + dy, j + dx), in pixels, bilinear between pixels; then mirrored left
/// to right where `flip` is set and turned over, top to bottom, where `upside_down` is. As Keras's
/// apply_affine_transform with (tx, ty) does it through scipy.ndimage.affine_transform(order=1), followed by its flips.
struct ImageShift {
  double dy = 0;
  double dx = 0;
  bool flip = false;
  bool upside_down = false;
};

/// Moves one image from `source` to `target`, both of `size`, which must not overlap. Whole-pixel shifts are exact.
/// |dy| and |dx| must be less than 1e9.
template <class T>  // float or uint8_t
void shift_image(const T* source, float* target, const ImageSize& size, const ImageShift& shift, const Fill& fill = {});

/// Moves row `source_row` of a batch (float32 or uint8) to row `target_row` of another (float32) with images of the
/// same size. Throws InvalidArgument when sizes, types or row numbers do not fit.
void shift_row(const at::Tensor& source, int64_t source_row, const at::Tensor& target, int64_t target_row,
               const ImageShift& shift, const Fill& fill = {});

/// A new float32 batch with image k of `images` moved by shifts[k]; one shift an image.
at::Tensor shift_images(const at::Tensor& images, std::span<const ImageShift> shifts, const Fill& fill = {});

}  // namespace tandem::kernels

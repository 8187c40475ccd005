#pragma once
#include "tandem/kernels/image_batch.h"

namespace tandem::kernels {

/// Where each pixel of a new image comes from, in pixels: output(i, j) = input(yy * i + yx * j + y, xy * i + xx * j +
/// x).
struct AffineMap {
  double yy = 1, yx = 0, y = 0;
  double xy = 0, xx = 1, x = 0;

  /// An image changed by this map and then by `next`, in one.
  AffineMap then(const AffineMap& next) const;
  /// True when lines stay lines and columns columns, without zoom: a shift, perhaps mirrored.
  bool is_shift() const { return yx == 0 && xy == 0 && (yy == 1 || yy == -1) && (xx == 1 || xx == -1); }
};

/// The arguments of Keras's apply_affine_transform, under its names and with its meaning: angles in degrees; tx and ty
/// in pixels, across (tx) and down (ty); zx zooms across and zy down, by factors of how much is seen: above 1 the
/// picture becomes smaller.
struct AffineParameters {
  double theta = 0;
  double tx = 0;
  double ty = 0;
  double shear = 0;
  double zx = 1;
  double zy = 1;
};

/// A place in an image, in pixels: that of pixel (0, 0) is {0, 0}.
struct ImagePoint {
  double line = 0;
  double column = 0;
};

/// The middle of an image.
ImagePoint image_middle(const ImageSize& size);
/// What Keras 3.15 turns and zooms around: the middle of an image of this size turned on its side. It is the middle of
/// square images only.
ImagePoint keras_middle(const ImageSize& size);

/// Zoom, shear, shift and rotation about `middle`, combined as Keras combines them.
AffineMap affine_map(const AffineParameters& parameters, const ImagePoint& middle);

/// Mirrored left to right.
AffineMap mirror_map(const ImageSize& size);
/// Turned over, top to bottom.
AffineMap turn_over_map(const ImageSize& size);

}  // namespace tandem::kernels

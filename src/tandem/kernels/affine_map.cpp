#include "tandem/kernels/affine_map.h"

#include <cmath>
#include <numbers>

namespace tandem::kernels {
namespace {

double radians(double degrees) { return degrees * (std::numbers::pi / 180); }

}  // namespace

AffineMap AffineMap::then(const AffineMap& next) const {
  return {.yy = yy * next.yy + yx * next.xy,
          .yx = yy * next.yx + yx * next.xx,
          .y = yy * next.y + yx * next.x + y,
          .xy = xy * next.yy + xx * next.xy,
          .xx = xy * next.yx + xx * next.xx,
          .x = xy * next.y + xx * next.x + x};
}

ImagePoint image_middle(const ImageSize& size) {
  return {.line = static_cast<double>(size.height) / 2 - 0.5, .column = static_cast<double>(size.width) / 2 - 0.5};
}

ImagePoint keras_middle(const ImageSize& size) {
  return {.line = static_cast<double>(size.width) / 2 - 0.5, .column = static_cast<double>(size.height) / 2 - 0.5};
}

// Keras's matrices are for (x, y), and it swaps their axes at the end; here they are for (line, column) from the start.
AffineMap affine_map(const AffineParameters& parameters, const ImagePoint& middle) {
  AffineMap map;
  if (parameters.theta != 0) {
    const double cos = std::cos(radians(parameters.theta)), sin = std::sin(radians(parameters.theta));
    map = {.yy = cos, .yx = sin, .xy = -sin, .xx = cos};
  }
  if (parameters.tx != 0 || parameters.ty != 0) map = map.then({.y = parameters.ty, .x = parameters.tx});
  if (parameters.shear != 0) {
    const double angle = radians(parameters.shear);
    map = map.then({.yy = std::cos(angle), .xy = -std::sin(angle)});
  }
  if (parameters.zx != 1 || parameters.zy != 1) map = map.then({.yy = parameters.zy, .xx = parameters.zx});
  // About the middle; where nothing turns or grows the middle drops out to the bit.
  map.y += middle.line - (map.yy * middle.line + map.yx * middle.column);
  map.x += middle.column - (map.xy * middle.line + map.xx * middle.column);
  return map;
}

AffineMap mirror_map(const ImageSize& size) { return {.xx = -1, .x = static_cast<double>(size.width - 1)}; }

AffineMap turn_over_map(const ImageSize& size) { return {.yy = -1, .y = static_cast<double>(size.height - 1)}; }

}  // namespace tandem::kernels

#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/config.h"
#include "tandem/layers/window.h"

namespace tandem {

/// What is added to or cut off the sides of an image, in pixels: `1` from all four; `{1, 2}`: 1 from top and bottom, 2
/// from left and right; `{{top, bottom}, {left, right}}`.
class Sides2D {
 public:
  Sides2D(int64_t all) : Sides2D(all, all) {}
  Sides2D(int64_t height, int64_t width) : height_{height, height}, width_{width, width} {}
  Sides2D(AxisPadding height, AxisPadding width) : height_(height), width_(width) {}
  /// From the same forms in a config's member `key`. Throws DataError on others.
  static Sides2D from_config(const Config& config, const std::string& key, const Sides2D& fallback);

  const AxisPadding& height() const { return height_; }
  const AxisPadding& width() const { return width_; }
  /// Pixels along the height and along the width, both ends together.
  int64_t rows() const { return height_.before + height_.after; }
  int64_t columns() const { return width_.before + width_.after; }
  /// As Keras writes it: [[top, bottom], [left, right]].
  Config to_config() const;
  /// Throws InvalidArgument, beginning with `where`, when a side is negative.
  void check(const std::string& where) const;

 private:
  AxisPadding height_, width_;
};

}  // namespace tandem

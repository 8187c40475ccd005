#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/config.h"
#include "tandem/layers/window.h"

namespace tandem {

/// What is added to or cut off the two ends of each spatial axis. Convert from the forms that Keras takes.
class Sides {
 public:
  const AxisPaddings& axes() const { return axes_; }
  /// None at any end.
  bool none() const;
  /// As Keras writes it: [[top, bottom], [left, right]], of one axis [before, after].
  Config to_config() const;
  /// Throws InvalidArgument, beginning with `where`, when a side is negative.
  void check(const std::string& where) const;

 protected:
  explicit Sides(AxisPaddings axes) : axes_(std::move(axes)) {}
  /// Of `rank` axes, from the forms below in a config's member `key`; empty where it is missing. Throws DataError on
  /// others.
  static AxisPaddings from_config(const Config& config, const std::string& key, std::size_t rank);

 private:
  AxisPaddings axes_;
};

/// Of steps: `1` from both ends, `{before, after}`.
class Sides1D : public Sides {
 public:
  Sides1D(int64_t both) : Sides1D(both, both) {}
  Sides1D(int64_t before, int64_t after) : Sides(AxisPaddings{AxisPadding{before, after}}) {}
  static Sides1D from_config(const Config& config, const std::string& key, const Sides1D& fallback);

 private:
  using Sides::Sides;
};

/// Of an image, in pixels: `1` from all four sides; `{1, 2}`: 1 from top and bottom, 2 from left and right; `{{top,
/// bottom}, {left, right}}`.
class Sides2D : public Sides {
 public:
  Sides2D(int64_t all) : Sides2D(all, all) {}
  Sides2D(int64_t height, int64_t width) : Sides2D(AxisPadding{height, height}, AxisPadding{width, width}) {}
  Sides2D(AxisPadding height, AxisPadding width) : Sides(AxisPaddings{height, width}) {}
  static Sides2D from_config(const Config& config, const std::string& key, const Sides2D& fallback);

 private:
  using Sides::Sides;
};

/// Of a volume: `1` from all six sides; `{1, 2, 3}`: one number an axis; `{{front, back}, {top, bottom}, {left,
/// right}}`.
class Sides3D : public Sides {
 public:
  Sides3D(int64_t all) : Sides3D(all, all, all) {}
  Sides3D(int64_t depth, int64_t height, int64_t width)
      : Sides3D(AxisPadding{depth, depth}, AxisPadding{height, height}, AxisPadding{width, width}) {}
  Sides3D(AxisPadding depth, AxisPadding height, AxisPadding width) : Sides(AxisPaddings{depth, height, width}) {}
  static Sides3D from_config(const Config& config, const std::string& key, const Sides3D& fallback);

 private:
  using Sides::Sides;
};

}  // namespace tandem

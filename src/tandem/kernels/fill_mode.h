#pragma once
#include <cstdint>
#include <string_view>

namespace tandem::kernels {

/// What stands beyond the edges of an image, as in Keras and scipy.ndimage. For the line a b c d:
enum class FillMode {
  nearest,   // a a a a | a b c d | d d d d
  constant,  // k k k k | a b c d | k k k k   beyond the outermost pixels' centres all is k: no blend with the edge
  reflect,   // d c b a | a b c d | d c b a
  wrap,  // b c d b c | a b c d | b c d b   scipy's: first and last pixel count as one, the period is one less than n
};

/// "nearest", "constant", "reflect" or "wrap". Throws InvalidArgument on another name, proposing the nearest.
FillMode fill_mode(std::string_view name);

struct Fill {
  FillMode mode = FillMode::nearest;
  float value = 0;  // k of FillMode::constant

  bool operator==(const Fill&) const = default;
};

/// Where the value at a fractional position of an axis comes from: (1 - weight) * x[low] + weight * x[high].
struct AxisTap {
  int64_t low = 0;
  int64_t high = 0;
  float weight = 0;
  bool inside = true;  // false: the constant
};

/// Linear interpolation at `position` of an axis of n pixels, whose centres are 0, 1, ..., n - 1.
AxisTap axis_tap(double position, int64_t n, FillMode mode);

}  // namespace tandem::kernels

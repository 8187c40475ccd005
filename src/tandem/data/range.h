#pragma once

namespace tandem::data {

/// Numbers from `low` to `high`, drawn evenly.
struct Range {
  double low = 0;
  double high = 0;

  static Range around_zero(double spread) { return {-spread, spread}; }
  /// For a number drawn evenly from [0, 1).
  double at(double drawn) const { return low + (high - low) * drawn; }
};

/// Zoom factors to draw from: 0.2 stands for those from 0.8 to 1.2, {0.5, 1.5} for itself. Above 1 more of the
/// surroundings is seen, and the picture becomes smaller.
struct ZoomRange : Range {
  ZoomRange() : ZoomRange(0) {}
  ZoomRange(double spread) : Range{1 - spread, 1 + spread} {}
  ZoomRange(double low, double high) : Range{low, high} {}
};

/// Each throws InvalidArgument, beginning with `where`. Unless `value` is a finite number of at least 0:
void check_spread(double value, const char* where);
/// Unless 0 <= low <= high, both finite:
void check_range(const Range& range, const char* where);
/// Unless 0 < low <= high, both finite:
void check_zoom(const ZoomRange& range, const char* where);

}  // namespace tandem::data

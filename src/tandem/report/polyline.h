#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "tandem/report/curves.h"

namespace tandem::report {

struct Point {
  double x = 0, y = 0;
};

/// A stretch of a curve without a gap, in pixels.
using Polyline = std::vector<Point>;

/// True for values that can be drawn; the largest doubles would overflow in the arithmetic of an axis.
bool is_drawable(double value);

/// The stretches of a curve between points that cannot be drawn, each point placed by `place`. Where many neighbouring
/// points fall into one column of pixels only the first, lowest, highest and last of them stay: the picture is the
/// same, and a million points are drawn in no time.
std::vector<Polyline> polylines_of(const Curve& curve, const std::function<Point(double x, double y)>& place);

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  bool contains(Point p) const { return p.x >= x && p.x <= x + width && p.y >= y && p.y <= y + height; }
};

/// Of boxes of this size along the edges of `frame`, `margin` away from it, the one that hides the shortest length of
/// the runs; the upper right one of equals.
Box least_covering(const Box& frame, double width, double height, double margin, const std::vector<Polyline>& runs);

}  // namespace tandem::report

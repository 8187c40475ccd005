#include "tandem/report/polyline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tandem::report {
namespace {

// The points of one column of pixels, in the order in which they came.
void append_column(Polyline& to, const Polyline& column) {
  const auto [low, high] =
      std::minmax_element(column.begin(), column.end(), [](Point a, Point b) { return a.y < b.y; });
  std::array keep = {column.begin(), low, high, column.end() - 1};
  std::sort(keep.begin(), keep.end());
  const auto end = std::unique(keep.begin(), keep.end());
  std::for_each(keep.begin(), end, [&](auto point) { to.push_back(*point); });
}

Polyline thinned(const Polyline& run) {
  Polyline out, column;
  for (const Point point : run) {
    if (!column.empty() && std::floor(point.x) != std::floor(column.front().x)) {
      append_column(out, column);
      column.clear();
    }
    column.push_back(point);
  }
  append_column(out, column);
  return out;
}

// Calls `visit` about every two pixels along the run.
void walk(const Polyline& run, const std::function<void(Point)>& visit) {
  visit(run.front());
  for (std::size_t i = 1; i < run.size(); ++i) {
    const Point from = run[i - 1], to = run[i];
    const auto steps = static_cast<int64_t>(std::hypot(to.x - from.x, to.y - from.y) / 2) + 1;
    for (int64_t k = 1; k <= steps; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(steps);
      visit({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    }
  }
}

}  // namespace

bool is_drawable(double value) { return std::abs(value) <= 1e300; }

std::vector<Polyline> polylines_of(const Curve& curve, const std::function<Point(double x, double y)>& place) {
  std::vector<Polyline> runs;
  Polyline run;
  const auto finish = [&] {
    if (!run.empty()) runs.push_back(thinned(run));
    run.clear();
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (is_drawable(curve.x[i]) && is_drawable(curve.y[i])) {
      run.push_back(place(curve.x[i], curve.y[i]));
    } else {
      finish();
    }
  }
  finish();
  return runs;
}

Box least_covering(const Box& frame, double width, double height, double margin, const std::vector<Polyline>& runs) {
  const double left = frame.x + margin, right = frame.x + frame.width - margin - width;
  const double top = frame.y + margin, bottom = frame.y + frame.height - margin - height;
  const double centre = (left + right) / 2, middle = (top + bottom) / 2;
  const std::array boxes = {Box{right, top, width, height},    Box{left, top, width, height},
                            Box{right, bottom, width, height}, Box{left, bottom, width, height},
                            Box{right, middle, width, height}, Box{left, middle, width, height},
                            Box{centre, top, width, height},   Box{centre, bottom, width, height}};
  std::array<int64_t, boxes.size()> hidden{};
  for (const auto& run : runs) {
    walk(run, [&](Point point) {
      for (std::size_t i = 0; i < boxes.size(); ++i) hidden[i] += boxes[i].contains(point);
    });
  }
  return boxes[static_cast<std::size_t>(std::min_element(hidden.begin(), hidden.end()) - hidden.begin())];
}

}  // namespace tandem::report

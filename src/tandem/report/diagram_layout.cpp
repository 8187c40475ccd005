#include "tandem/report/diagram_layout.h"

#include <algorithm>
#include <cmath>

#include "tandem/report/diagram_layers.h"

namespace tandem::report {
namespace {

// Points.
constexpr double kMargin = 16, kRowGap = 30, kBoxGap = 18, kBendWidth = 8, kPortGap = 9, kLoop = 12;

class Layout {
 public:
  Layout(const std::vector<BoxSize>& sizes, const std::vector<DiagramEdge>& edges)
      : sizes_(sizes), edges_(edges), layers_(diagram_layers(sizes.size(), edges)), x_(layers_.vertices.size()) {}

  DiagramLayout make() {
    place_rows();
    place_vertices();
    for (std::size_t node = 0; node < sizes_.size(); ++node) {
      const std::size_t row = layers_.vertices[node].row;
      const auto [width, height] = sizes_[node];
      made_.boxes.push_back({x_[node] - width / 2, top_[row] + (height_[row] - height) / 2, width, height});
    }
    for (std::size_t i = 0; i < edges_.size(); ++i) made_.arrows.push_back(arrow(i));
    trim();
    return std::move(made_);
  }

 private:
  double width_of(std::size_t vertex) const { return vertex < sizes_.size() ? sizes_[vertex].width : kBendWidth; }

  void place_rows() {
    double y = kMargin;
    for (const auto& row : layers_.rows) {
      double height = 0;
      for (const std::size_t v : row) {
        if (v < sizes_.size()) height = std::max(height, sizes_[v].height);
      }
      top_.push_back(y);
      height_.push_back(height);
      y += height + kRowGap;
    }
    made_.height = y + (layers_.rows.empty() ? 0 : -kRowGap) + kMargin;
  }

  // Sweeps down and up. First each row goes as near as it gets to the middles of what the last row placed asks for;
  // then also what comes next counts, and most of all that a line of single edges is straight.
  void place_vertices() {
    for (const auto& row : layers_.rows) settle(row, std::vector<double>(row.size(), 0));
    constexpr int kRough = 24, kSweeps = 96;
    const std::size_t count = layers_.rows.size();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0, both = sweep >= kRough;
      for (std::size_t k = 0; k < count; ++k) {
        const auto& row = layers_.rows[down ? k : count - 1 - k];
        std::vector<double> wanted;
        for (const std::size_t v : row) wanted.push_back(middle(v, down || both, !down || both));
        settle(row, wanted);
      }
    }
  }

  // The middle of a vertex's neighbours above, below, or both.
  double middle(std::size_t vertex, bool of_above, bool of_below) const {
    constexpr double kStraight = 40;
    const auto& v = layers_.vertices[vertex];
    double sum = 0, weights = 0;
    const auto add = [&](std::size_t other, bool is_line) {
      const double weight = is_line ? kStraight : 1;
      sum += weight * x_[other];
      weights += weight;
    };
    if (of_above) {
      for (const std::size_t up : v.above) add(up, v.above.size() == 1 && layers_.vertices[up].below.size() == 1);
    }
    if (of_below) {
      for (const std::size_t to : v.below) add(to, v.below.size() == 1 && layers_.vertices[to].above.size() == 1);
    }
    return weights > 0 ? sum / weights : x_[vertex];
  }

  // Positions in the order of `row` with room between them that have the least sum of squared distances from `wanted`,
  // found by pooling neighbours that would overlap.
  void settle(const std::vector<std::size_t>& row, const std::vector<double>& wanted) {
    struct Pool {
      double sum;
      std::size_t count;
      double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<Pool> pools;
    std::vector<double> shift(row.size(), 0);  // of a vertex from the first one, where all stand side by side
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) shift[i] = shift[i - 1] + (width_of(row[i - 1]) + width_of(row[i])) / 2 + kBoxGap;
      pools.push_back({wanted[i] - shift[i], 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().count + last.count};
      }
    }
    std::size_t i = 0;
    for (const auto& pool : pools) {
      for (std::size_t k = 0; k < pool.count; ++k, ++i) x_[row[i]] = pool.mean() + shift[i];
    }
  }

  // Where at the box's edge the line to or from `other` goes: side by side, in the order in which the others stand.
  double port(std::size_t vertex, std::size_t other, bool at_bottom) const {
    if (vertex >= sizes_.size()) return x_[vertex];
    auto others = at_bottom ? layers_.vertices[vertex].below : layers_.vertices[vertex].above;
    std::sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) { return x_[a] < x_[b]; });
    others.erase(std::unique(others.begin(), others.end()), others.end());
    const auto place = static_cast<double>(std::find(others.begin(), others.end(), other) - others.begin());
    const double last = static_cast<double>(others.size()) - 1;
    const double gap = std::min(kPortGap, 0.8 * width_of(vertex) / std::max(last, 1.0));
    return x_[vertex] + (place - last / 2) * gap;
  }

  Polyline arrow(std::size_t edge) const {
    const auto& path = layers_.paths[edge];
    if (path.size() == 1) {
      const Box& box = made_.boxes[path[0]];
      const double right = box.x + box.width, y = box.y + box.height / 2;
      return {{right, y - 5}, {right + kLoop, y - 5}, {right + kLoop, y + 5}, {right, y + 5}};
    }
    Polyline line;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const std::size_t v = path[i], row = layers_.vertices[v].row;
      const bool is_bend = v >= sizes_.size();
      const double top = is_bend ? top_[row] : made_.boxes[v].y;
      const double bottom = is_bend ? top_[row] + height_[row] : top + made_.boxes[v].height;
      if (i > 0) line.push_back({port(v, path[i - 1], false), top});
      if (i + 1 < path.size()) line.push_back({port(v, path[i + 1], true), bottom});
    }
    if (path.front() != edges_[edge].from) std::reverse(line.begin(), line.end());
    return line;
  }

  // Moves everything to the margin at the left.
  void trim() {
    double left = 0, right = 0;
    bool first = true;
    const auto add = [&](double from, double to) {
      left = first ? from : std::min(left, from);
      right = first ? to : std::max(right, to);
      first = false;
    };
    for (const auto& box : made_.boxes) add(box.x, box.x + box.width);
    for (const auto& line : made_.arrows) {
      for (const Point point : line) add(point.x, point.x);
    }
    for (auto& box : made_.boxes) box.x += kMargin - left;
    for (auto& line : made_.arrows) {
      for (Point& point : line) point.x += kMargin - left;
    }
    made_.width = right - left + 2 * kMargin;
  }

  const std::vector<BoxSize>& sizes_;
  const std::vector<DiagramEdge>& edges_;
  DiagramLayers layers_;
  std::vector<double> x_;             // the middle of each vertex
  std::vector<double> top_, height_;  // of each row
  DiagramLayout made_;
};

}  // namespace

DiagramLayout lay_out(const std::vector<BoxSize>& sizes, const std::vector<DiagramEdge>& edges) {
  return Layout(sizes, edges).make();
}

}  // namespace tandem::report

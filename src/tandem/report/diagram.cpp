#include "tandem/report/diagram.h"

#include <algorithm>
#include <cmath>

#include "tandem/core/error.h"
#include "tandem/report/brush.h"
#include "tandem/report/diagram_layout.h"

namespace tandem::report {
namespace {

constexpr uint32_t kHeading = 0x1B3A52, kLineColour = 0x4A4A4A, kFill = 0xEEF4F9, kOutline = 0x7C9BB5,
                   kArrow = 0x55636F;
// Points.
constexpr double kHeadingSize = 11.5, kLineSize = 10.5, kLineHeight = 15, kBoxPadding = 9, kHead = 7;

// A diagram with the place of each part.
struct LaidOut {
  const Diagram& diagram;
  DiagramLayout layout;
};

LaidOut laid_out(const Diagram& diagram) {
  if (diagram.nodes.empty()) throw InvalidArgument("a diagram needs at least one node; received none");
  std::vector<BoxSize> sizes;
  draw_picture(1, 1, [&](_cairo* cairo) {  // how long texts are
    Brush brush(cairo);
    for (const auto& node : diagram.nodes) {
      brush.font(kHeadingSize, true);
      double width = brush.text_length(printable(node.heading));
      brush.font(kLineSize);
      for (const auto& line : node.lines) width = std::max(width, brush.text_length(printable(line)));
      const auto lines = static_cast<double>(node.lines.size() + 1);
      sizes.push_back({std::ceil(width) + 2 * kBoxPadding, lines * kLineHeight + kBoxPadding});
    }
  });
  return {diagram, lay_out(sizes, diagram.edges)};
}

void draw_arrow(Brush& brush, const Polyline& line) {
  const Point tip = line.back(), before = line[line.size() - 2];
  const double length = std::max(std::hypot(tip.x - before.x, tip.y - before.y), 1e-9);
  const double dx = (tip.x - before.x) / length * kHead, dy = (tip.y - before.y) / length * kHead;
  Polyline shaft = line;
  shaft.back() = {tip.x - 0.8 * dx, tip.y - 0.8 * dy};
  brush.colour(kArrow);
  brush.line(shaft, 1.1);
  brush.shape(
      {tip, {tip.x - dx - 0.45 * dy, tip.y - dy + 0.45 * dx}, {tip.x - dx + 0.45 * dy, tip.y - dy - 0.45 * dx}});
}

void draw_node(Brush& brush, const DiagramNode& node, const Box& box) {
  brush.box(box, 4, kFill, 1, kOutline);
  const double x = box.x + box.width / 2;
  double y = box.y + (kBoxPadding + kLineHeight) / 2;
  brush.colour(kHeading);
  brush.font(kHeadingSize, true);
  brush.text(printable(node.heading), x, y, 0.5);
  brush.colour(kLineColour);
  brush.font(kLineSize);
  for (const auto& line : node.lines) brush.text(printable(line), x, y += kLineHeight, 0.5);
}

Paint painter_of(const LaidOut& laid) {
  return [&](_cairo* cairo) {
    Brush brush(cairo);
    for (const auto& arrow : laid.layout.arrows) draw_arrow(brush, arrow);
    for (std::size_t i = 0; i < laid.layout.boxes.size(); ++i)
      draw_node(brush, laid.diagram.nodes[i], laid.layout.boxes[i]);
  };
}

int64_t whole(double points) { return static_cast<int64_t>(std::ceil(points)); }

}  // namespace

void write_diagram(const Diagram& diagram, const std::string& path) {
  const auto laid = laid_out(diagram);
  const double width = laid.layout.width, height = laid.layout.height;
  constexpr double kMostSide = 32000, kMostPixels = 64e6;
  const double scale = std::min({2.0, kMostSide / std::max(width, height), std::sqrt(kMostPixels / (width * height))});
  write_drawing(path, whole(width), whole(height), painter_of(laid), scale);
}

Picture draw_diagram(const Diagram& diagram) {
  const auto laid = laid_out(diagram);
  return draw_picture(whole(laid.layout.width), whole(laid.layout.height), painter_of(laid));
}

}  // namespace tandem::report

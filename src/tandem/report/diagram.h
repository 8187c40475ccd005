#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tandem/report/drawing.h"

namespace tandem::report {

/// A box of a diagram: a heading and the lines below it, in UTF-8.
struct DiagramNode {
  std::string heading;
  std::vector<std::string> lines = {};
};

/// An arrow, by the places of its two nodes in Diagram::nodes.
struct DiagramEdge {
  std::size_t from = 0, to = 0;
};

/// A graph to be drawn.
struct Diagram {
  std::vector<DiagramNode> nodes;
  std::vector<DiagramEdge> edges;
};

/// Draws the nodes as boxes in rows, so that arrows lead down except where they go in a circle, and writes the picture
/// in one step, as the ending of `path` says: .png, .svg or .pdf. A PNG has two pixels a point, fewer where it would be
/// too large. Throws InvalidArgument on a diagram without nodes, an edge of a node that is not there, or another
/// ending; DataError "<path>: <reason>" where the file cannot be written.
void write_diagram(const Diagram& diagram, const std::string& path);

/// The same picture as pixels, one a point.
Picture draw_diagram(const Diagram& diagram);

}  // namespace tandem::report

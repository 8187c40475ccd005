#pragma once
#include <vector>

#include "tandem/report/diagram.h"
#include "tandem/report/polyline.h"

namespace tandem::report {

struct BoxSize {
  double width = 0, height = 0;
};

/// Where the parts of a diagram go, in points from the upper left corner.
struct DiagramLayout {
  double width = 0, height = 0;  // of the whole, with a margin
  std::vector<Box> boxes;        // of the nodes
  std::vector<Polyline> arrows;  // of the edges, each from where it begins to its tip
};

/// Lays out boxes of these sizes in rows from top to bottom (diagram_layers) without overlaps, each as near as it gets
/// to the middle of what it is joined to. Throws InvalidArgument on an edge of a node that is not there.
DiagramLayout lay_out(const std::vector<BoxSize>& sizes, const std::vector<DiagramEdge>& edges);

}  // namespace tandem::report

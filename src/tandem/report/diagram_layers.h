#pragma once
#include <cstdint>
#include <vector>

#include "tandem/report/diagram.h"

namespace tandem::report {

/// A graph as rows from top to bottom: every edge goes from a row to the next one, through bends where it is longer.
/// After K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system structures",
/// 1981.
struct DiagramLayers {
  struct Vertex {
    std::size_t row = 0;
    std::vector<std::size_t> above, below;  // its neighbours in the rows beside its own
  };

  std::vector<Vertex> vertices;                // vertex i is node i; bends follow
  std::vector<std::vector<std::size_t>> rows;  // vertices from left to right
  std::vector<std::vector<std::size_t>>
      paths;  // an edge's vertices from top to bottom; a node's edge to itself: it alone
};

/// Puts each of `nodes` nodes in the row after the last one from which an edge leads to it (a node without any just
/// above what it leads to), and orders rows so that few edges cross. Where edges form a circle one of them runs
/// upwards. Throws InvalidArgument on an edge of a node that is not there.
DiagramLayers diagram_layers(std::size_t nodes, const std::vector<DiagramEdge>& edges);

/// How many pairs of edges between neighbouring rows cross.
int64_t crossings(const DiagramLayers& layers);

}  // namespace tandem::report

#pragma once
#include <cstddef>
#include <vector>

#include "tandem/network/divided_graph.h"
#include "tandem/network/flat_graph.h"

namespace tandem {

/// `flat` cut into `parts` segments that follow one another: part p reads values of the inputs and of parts before it.
/// The last part is given all of the graph's outputs. `part_of`: of each step, never less than that of a step whose
/// values it reads. Throws InternalError where that does not hold or a part has no step.
DividedGraph cut_graph(const FlatGraph& flat, const std::vector<std::size_t>& part_of, std::size_t parts);

}  // namespace tandem

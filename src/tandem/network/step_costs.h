#pragma once
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/network/flat_graph.h"

namespace tandem {

/// Seconds that each step of `flat` takes for forward and backward of `rows` made-up rows on this thread; the shorter
/// of two tries. `inputs`: shapes of the graph's inputs. For dividing work: the weights that count are the current
/// ones, and nothing changes.
std::vector<double> measure_steps(const FlatGraph& flat, const Shapes& inputs, int64_t rows);

}  // namespace tandem

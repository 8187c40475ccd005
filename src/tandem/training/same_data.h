#pragma once
#include <string>

#include "tandem/data/dataset.h"
#include "tandem/distribution/peers.h"

namespace tandem {

/// Compares what the processes that train together were given: the rows of `data`, the first of them, and `options`, a
/// text. Collective. Throws InvalidArgument in the name of `who` naming the rank that differs.
void check_same_data(distribute::Peers& peers, const char* who, const Dataset& data, const std::string& options);

}  // namespace tandem

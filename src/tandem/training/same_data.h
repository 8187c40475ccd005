#pragma once
#include <cstdint>
#include <string>

#include "tandem/data/dataset.h"
#include "tandem/distribution/peers.h"

namespace tandem {

/// Of the source's first rows, before anything is drawn.
uint64_t fingerprint(const Dataset& data);

/// Compares what the processes that train together were given: the rows of `data` and how they are batched, the first
/// of them by their fingerprint, and `options`, a text. Collective. Throws InvalidArgument in the name of `who` naming
/// the rank that differs.
void check_same_data(distribute::Peers& peers, const char* who, const Dataset& data, int64_t batch_size,
                     uint64_t first_rows, const std::string& options);

}  // namespace tandem

#pragma once
#include <cstdint>
#include <string>

#include "tandem/data/dataset.h"
#include "tandem/distribution/named_options.h"
#include "tandem/distribution/peers.h"

namespace tandem {

/// What tells whether two processes were given the same data.
struct DataPrint {
  uint64_t first_rows = 0;  // of the source, before anything is drawn
  uint64_t order = 0;       // in which an epoch takes the rows, by some random numbers
};
DataPrint fingerprint(const Dataset& data);

/// Compares what the processes that train together were given: the rows of `data` and how they are batched, the first
/// of them by their fingerprint, and `options`. Collective. Throws InvalidArgument in the name of `who` naming the rank
/// that differs, and in what.
void check_same_data(distribute::Peers& peers, const char* who, const Dataset& data, int64_t batch_size,
                     const DataPrint& print, const distribute::NamedOptions& options);

}  // namespace tandem

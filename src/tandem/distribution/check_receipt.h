#pragma once
#include <cstdint>

#include "tandem/data/data_loader.h"
#include "tandem/distribution/process_group.h"

namespace tandem::distribute {

/// What all ranks together did with the rows of an epoch. rows + earlier + left_out is the data set.
struct EpochReceipt {
  int64_t epoch = 0;
  int64_t rows = 0;      // served, each once
  int64_t earlier = 0;   // before the loop was resumed
  int64_t padding = 0;   // served once more, so that all ranks had as many
  int64_t left_out = 0;  // not served in this epoch (drop_last)
};

/// At the end of an epoch: makes sure that all ranks together served each row of the data set exactly once, by the rows
/// that were in their batches, and says how many were padding or left out. Collective; sends a few numbers. Throws
/// InvalidArgument on all ranks, naming the rank whose loop ended early or is in another epoch, or a row that was
/// served twice, or by none.
EpochReceipt check_receipt(const data::DataLoader& loader, const ProcessGroup& group);

}  // namespace tandem::distribute

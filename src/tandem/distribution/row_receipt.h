#pragma once
#include <cstdint>
#include <vector>

#include "tandem/distribution/peer_message.h"

namespace tandem::distribute {

/// Which rows of each batch a process trained on, step by step: what shows in the end that all processes together had
/// each row once.
class RowReceipt {
 public:
  /// Rows [begin, end) of a batch of `all`.
  void add(int64_t begin, int64_t end, int64_t all);
  void put(PeerMessage& message) const;
  void clear() { runs_.clear(); }

  /// Compares the receipts of all processes, in their order, over batches of `rows` rows together. Returns the rows of
  /// each. Throws InternalError naming rank, rows and step where rows are missing or were had twice.
  static std::vector<int64_t> check(std::vector<PeerMessage> receipts, int64_t rows);

 private:
  // Steps that follow one another with the same rows of as large a batch.
  struct Run {
    int64_t steps, begin, end, all;
  };
  std::vector<Run> runs_;
};

}  // namespace tandem::distribute

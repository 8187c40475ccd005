#pragma once
#include <cstdint>
#include <string>

namespace tandem::testing {

/// Images that were never seen, in CIFAR-10's binary layout: small, so that a training on them takes no time.
struct MadeUpImages {
  int64_t train = 24, test = 4;  // records
  int64_t bad_label_at = -1;     // this training record's label becomes 10, one too large

  /// Writes data_batch_1.bin and test_batch.bin into `folder`.
  void write(const std::string& folder) const;
};

inline constexpr int64_t kRecordBytes = 1 + 3 * 32 * 32;  // a label, then three planes

}  // namespace tandem::testing

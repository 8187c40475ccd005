#pragma once
#include <cstdint>
#include <string>

#include "tandem/distribution/replicated.h"
#include "tandem/distribution/row_shares.h"

namespace tandem::distribute {

/// How devices divide batches and exchange what they learn: what Mirrored and DataParallel are told alike
/// (MirroredOptions says what each means).
struct ExchangeOptions {
  Shares shares = {};
  int64_t fixed_order = 0;
  std::string all_reduce = "auto";
  int64_t average_every = 0;
  int64_t bucket_bytes = 1 << 20;
  int64_t memory_limit = 0;

  template <class Options>
  static ExchangeOptions of(const Options& o) {
    return {o.shares, o.fixed_order, o.all_reduce, o.average_every, o.bucket_bytes, o.memory_limit};
  }
  /// Throws InvalidArgument in the name of `who` on what does not fit together, or `devices`.
  void check(const std::string& who, int64_t devices) const;
  /// Of checked options.
  Replication replication(const Devices& devices, int64_t threads_per_device) const;
};

}  // namespace tandem::distribute

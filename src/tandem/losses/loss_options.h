#pragma once
#include <string>

namespace tandem::losses {

/// Options of losses that have no other.
struct LossOptions {
  /// "sum_over_batch_size" (or "mean", which is the same) or "sum". Keras's "none" and "mean_with_sample_weight" are
  /// refused.
  std::string reduction = "sum_over_batch_size";
};

}  // namespace tandem::losses

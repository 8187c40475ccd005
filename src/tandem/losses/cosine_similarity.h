#pragma once
#include <cstdint>
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct CosineSimilarityOptions {
  /// The axis of the vectors.
  int64_t axis = -1;
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
};

/// Minus the cosine between target and prediction, as keras.losses.CosineSimilarity: -1 for equal directions, 0 where
/// one of them is zero (which then has no gradient; Keras's is NaN). Both have one shape (rows, ..., n), the result
/// lacks `axis`. The config has axis where it is not -1 (Keras's own never has it, but reads it). Throws
/// InvalidArgument when the axis is not one of the predictions', or that of the rows.
struct CosineSimilarity : Handle<Loss> {
  explicit CosineSimilarity(CosineSimilarityOptions options = {});
};

}  // namespace tandem::losses

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct DiceOptions {
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
  /// Axes that are summed over. Empty: all of them. With axis 0 or all the loss is one of the whole batch.
  std::vector<int64_t> axis = {};
};

/// 1 - 2 * sum(target * prediction) / (sum(target) + sum(prediction) + 1e-7), as keras.losses.Dice. Both have one shape
/// (rows, ...) up to a last axis of 1. Throws InvalidArgument on an axis that they do not have.
struct Dice : Handle<Loss> {
  explicit Dice(DiceOptions options = {});
};

struct TverskyOptions {
  /// Factors of what the targets have and the predictions lack, and the other way round, at least 0. Keras calls the
  /// first false positives, which they are not.
  double alpha = 0.5;
  double beta = 0.5;
  /// As DiceOptions.
  std::string reduction = "sum_over_batch_size";
  std::vector<int64_t> axis = {};
};

/// 1 - s / (s + alpha * sum(target * (1 - prediction)) + beta * sum(prediction * (1 - target)) + 1e-7) with
/// s = sum(target * prediction), as keras.losses.Tversky (Salehi et al. 2017); shapes and errors as Dice.
struct Tversky : Handle<Loss> {
  explicit Tversky(TverskyOptions options = {});
};

}  // namespace tandem::losses

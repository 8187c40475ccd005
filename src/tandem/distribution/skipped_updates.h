#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "tandem/distribution/flat_weights.h"

namespace tandem::distribute {

/// Counts the updates that an optimizer with a dynamic loss scale leaves out, and says after the tenth in a row, and
/// again each time that they have doubled, which tensor is the first that is not finite.
class SkippedUpdates {
 public:
  /// After each update: `made` is whether it was, `scale` what the loss is multiplied by from now on.
  /// `first_not_finite` is asked for the tensor that is to be named; `tells`: here.
  void note(bool made, double scale, bool tells, const std::function<std::string()>& first_not_finite);

 private:
  int64_t in_a_row_ = 0, told_at_ = 10;
};

/// "weight 'dense/kernel'", "the gradient of weight 'dense/kernel'": the first of `weights`, then of their gradients,
/// that is not finite; empty where all are.
std::string first_not_finite(const FlatWeights& weights, const Layer& model);
/// The name of the one that is not, or its gradient.
std::string name_not_finite(const Weight& weight, const Layer& model, bool gradient);

}  // namespace tandem::distribute

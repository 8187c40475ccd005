#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tandem/layers/layer.h"
#include "tandem/optimizers/clipping.h"

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

/// "weight 'dense/kernel'", "the gradient of weight 'dense/kernel'": the first of the model's weights, then of their
/// gradients, that is not finite; empty where all are. `finite` is asked for each of `weights`, this rank's, and for
/// the gradient of each. With `shards` that of all ranks, which must all call this.
std::string first_not_finite(const Layer& model, const std::vector<Weight>& weights,
                             const std::function<bool(std::size_t weight, bool gradient)>& finite,
                             const GradientShards* shards);

}  // namespace tandem::distribute

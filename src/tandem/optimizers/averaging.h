#pragma once
#include <cstdint>
#include <memory>

#include "tandem/optimizers/optimizer.h"

namespace tandem {

/// How an optimizer averages the weights over its updates (Polyak and Juditsky 1992), as the settings use_ema,
/// ema_momentum and ema_overwrite_frequency of keras.optimizers.
struct Averaging {
  bool use_ema = false;
  /// Share, in [0, 1], of the average that stays at each update; the first update begins it.
  double momentum = 0.99;
  /// The weights are replaced by their averages after every so many updates; 0: never.
  int64_t overwrite_frequency = 0;
};

/// `rule` itself where there is no averaging; else an optimizer that updates by it and then averages, in a slot
/// "average" in front of the rule's. Its class name is the rule's, and its config says how it averages. Throws
/// InvalidArgument on a setting out of range.
std::shared_ptr<Optimizer> with_averages(std::shared_ptr<Optimizer> rule, const Averaging& averaging);

}  // namespace tandem

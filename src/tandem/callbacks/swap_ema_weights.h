#pragma once
#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Argument of keras.callbacks.SwapEMAWeights.
struct SwapEMAWeightsOptions {
  bool swap_on_epoch = false;  // from an epoch's end to the next one's begin too, for callbacks behind this one
};

/// Lets evaluate, predict and validation see the averages of the weights that an optimizer with use_ema keeps, and puts
/// the weights back behind them, as keras.callbacks.SwapEMAWeights. (Keras forgets to put them back behind predict.)
/// Throws InvalidArgument, at the first swap, where the optimizer keeps no averages or has made no update.
class SwapEMAWeights : public Handle<Callback> {
 public:
  explicit SwapEMAWeights(SwapEMAWeightsOptions options = {});
  static SwapEMAWeights from_config(const Config& config);
};

}  // namespace tandem::callbacks

#pragma once
#include <cstdint>
#include <string>

#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Arguments of keras.callbacks.ReduceLROnPlateau, in Keras's order.
struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";
  double factor = 0.1;    // in [0, 1)
  int64_t patience = 10;  // epochs without an improvement; 0 acts as 1
  int64_t verbose = 0;
  std::string mode = "auto";  // auto, min, max
  double min_delta = 1e-4;
  int64_t cooldown = 0;  // epochs after a reduction that count for nothing
  double min_lr = 0;
};

/// Multiplies the learning rate by `factor` when the monitored figure stopped getting better, as
/// keras.callbacks.ReduceLROnPlateau. The history's "learning_rate" is the one that the epoch was trained with. Throws
/// InvalidArgument for options out of range, when training begins where mode auto knows no direction, and at a
/// reduction where the optimizer follows a schedule.
class ReduceLROnPlateau : public Handle<Callback> {
 public:
  explicit ReduceLROnPlateau(ReduceLROnPlateauOptions options = {});
  static ReduceLROnPlateau from_config(const Config& config);
};

}  // namespace tandem::callbacks

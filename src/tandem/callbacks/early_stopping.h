#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Arguments of keras.callbacks.EarlyStopping, in Keras's order.
struct EarlyStoppingOptions {
  std::string monitor = "val_loss";
  double min_delta = 0;  // what is less is no improvement
  int64_t patience = 0;  // epochs without an improvement; 0 acts as 1
  int64_t verbose = 0;
  std::string mode = "auto";  // auto, min, max
  std::optional<double> baseline = {};
  bool restore_best_weights = false;
  int64_t start_from_epoch = 0;  // earlier epochs count for nothing
};

/// Ends training when the monitored figure stopped getting better, as keras.callbacks.EarlyStopping. With
/// restore_best_weights the weights of the best epoch are set at the end of every training, stopped or not. Throws
/// InvalidArgument for options out of range and, when training begins, where mode auto knows no direction.
class EarlyStopping : public Handle<Callback> {
 public:
  explicit EarlyStopping(EarlyStoppingOptions options = {});
  static EarlyStopping from_config(const Config& config);

  /// Of the last training: the index of the epoch that ended it, 0 when none did.
  int64_t stopped_epoch() const;
  int64_t best_epoch() const;
  /// Nothing where no epoch had the figure.
  std::optional<double> best() const;
};

}  // namespace tandem::callbacks

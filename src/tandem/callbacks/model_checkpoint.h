#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/callbacks/callback.h"
#include "tandem/callbacks/save_frequency.h"

namespace tandem::callbacks {

/// Arguments of keras.callbacks.ModelCheckpoint, in Keras's order, and Keras 2's period.
struct ModelCheckpointOptions {
  std::string monitor = "val_loss";
  int64_t verbose = 0;
  bool save_best_only = false;
  bool save_weights_only = false;
  std::string mode = "auto";          // auto, min, max
  SaveFrequency save_freq = "epoch";  // or a number of batches
  std::optional<double> initial_value_threshold = {};
  int64_t period = 1;  // epochs from one save to the next
};

/// Saves the model, or its weights, while it is trained, as keras.callbacks.ModelCheckpoint. `filepath` may hold
/// {epoch} and {batch}, counting from 1, and every log: "cnn-{epoch:02d}-{val_loss:.2f}.weights.h5" (see
/// file_pattern.h); folders are made. The name ends with .weights.h5, or .h5 for Keras 2's layout, when only weights
/// are saved; else with .keras or .h5. A parallel model's file is its template's. An earlier file of that name is
/// replaced in one step.
///
/// Throws InvalidArgument for options out of range, for a field that is not known, and when training begins where
/// save_best_only needs a direction that mode auto does not know; DataError when the file cannot be written.
class ModelCheckpoint : public Handle<Callback> {
 public:
  explicit ModelCheckpoint(std::string filepath, ModelCheckpointOptions options = {});
  static ModelCheckpoint from_config(const Config& config);

  /// The best figure so far; it is kept from one training to the next.
  std::optional<double> best() const;
};

}  // namespace tandem::callbacks

#pragma once
#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Argument of keras.callbacks.TerminateOnNaN.
struct TerminateOnNaNOptions {
  bool raise_error = false;  // an Error leaves fit at once, and no on_train_end is called
};

/// Ends training after the batch that made the loss NaN or infinite, as keras.callbacks.TerminateOnNaN.
class TerminateOnNaN : public Handle<Callback> {
 public:
  explicit TerminateOnNaN(TerminateOnNaNOptions options = {});
  static TerminateOnNaN from_config(const Config& config);
};

}  // namespace tandem::callbacks

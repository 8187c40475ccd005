#pragma once
#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Draws the progress bar, as keras.callbacks.ProgbarLogger. fit, evaluate and predict draw one themselves; given this,
/// they leave it to it, so that it is drawn once, at this callback's place in the list: callbacks before it may change
/// the logs that it shows. It follows `verbose` and leaves out rows a second, which callbacks do not see.
class ProgbarLogger : public Handle<Callback> {
 public:
  ProgbarLogger();
  static ProgbarLogger from_config(const Config& config);
};

}  // namespace tandem::callbacks

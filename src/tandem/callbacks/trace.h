#pragma once
#include <cstdint>
#include <string>

#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

struct TraceOptions {
  int64_t first_batch = 0;  // of the training, over all epochs
  int64_t batches = 10;     // so many are recorded; -1: all from there on, which takes memory
};

/// Records on which device each layer computes and when, forward and backward, and writes it to `filename` in the
/// format that chrome://tracing and ui.perfetto.dev open (report/trace.h) when the batches are done. The recorded
/// batches run a little slower. A ReLU that is computed together with the layer before it has no span of its own, nor
/// has a layer that does nothing.
///
/// Throws InvalidArgument for numbers out of range, DataError when the file cannot be written.
class Trace : public Handle<Callback> {
 public:
  explicit Trace(std::string filename, TraceOptions options = {});
  static Trace from_config(const Config& config);
};

}  // namespace tandem::callbacks

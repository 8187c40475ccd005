#pragma once
#include <cstdint>

#include "tandem/distribution/execution.h"

namespace tandem::distribute {

/// How a stage's gradients become the sums over its replicas, of which each makes the same calls in the same order.
class StageGradients {
 public:
  virtual ~StageGradients() = default;

  /// The backward of a chunk on a micro batch follows. `last`: on the last one before an update; those of higher chunks
  /// have ended.
  virtual void backward_begins(int64_t chunk, bool last) = 0;
  /// It has ended, or there was none, since this replica has no rows of that micro batch.
  virtual void backward_ended(int64_t chunk) = 0;
  /// No gradient of this chunk, or of a higher one, is still to come before an update.
  virtual void start(int64_t chunk) = 0;
  /// All sums of this step are here, of what travels in each.
  virtual void end_step() = 0;
  /// All sums for an update are here.
  virtual void finish() = 0;
  /// Forgets what was on its way, of a step that failed.
  virtual void reset() = 0;
  /// Of the last exchange.
  virtual const StepLedger& ledger() const = 0;
};

}  // namespace tandem::distribute

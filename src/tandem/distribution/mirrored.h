#pragma once
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct MirroredOptions {
  Devices devices = {};            // empty: every visible GPU
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else available cores / devices
};

/// A replica of the model on each device of this process. Each computes the gradients of its rows, gradients are summed
/// over all, and every replica makes the same update. The loss is the mean over the rows of the global batch, so the
/// numbers are those of one device for any batch size and number of devices (batch normalisation aside, which uses each
/// replica's rows). As tf.distribute.MirroredStrategy.
struct Mirrored : Strategy {
  explicit Mirrored(MirroredOptions options = {});
};

}  // namespace tandem::distribute

#pragma once
#include <string>

#include "tandem/distribution/row_shares.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct MirroredOptions {
  Devices devices = {};            // empty: every visible GPU
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else available cores / devices
  /// Parts of each batch by device, {3, 1}; empty: equal parts; "auto": by the speeds that are measured. The gradient
  /// is the mean over all rows whatever the parts.
  Shares shares = {};
  /// V > 0: the trained weights are the same bits on any number of devices that divides V. Each batch is cut into V
  /// logical shards; each is computed by one thread, with its own batch statistics, and gradients are added up along
  /// one binary tree over the shards.
  int64_t fixed_order = 0;
  /// How gradients travel: "direct", "ring", "tree", "auto" (by size), or "host": they are added up and the update is
  /// made once, in host memory by the first device's thread, which sends the parameters out.
  std::string all_reduce = "auto";
  /// k > 0: each device updates its own parameters from its own rows, and every k updates they are averaged by the rows
  /// that each has seen (local SGD, Stich 2019); also before validation and saving. Not the numbers of one device.
  int64_t average_every = 0;
  /// Gradients travel in buckets of this size at most, while backward makes those of earlier layers.
  int64_t bucket_bytes = 1 << 20;
  /// Bytes of memory that a replica on a CPU may take for its weights, gradients, optimizer state and what its layers
  /// compute; 0: no limit. Beyond it training throws InvalidArgument, naming the rank.
  int64_t memory_limit = 0;
};

/// A replica of the model on each device of this process. Each computes the gradients of its rows, gradients are summed
/// over all, and every replica makes the same update. The loss is the mean over the rows of the global batch, so the
/// numbers are those of one device for any batch size and number of devices (batch normalisation aside, which uses each
/// replica's rows unless it is synchronized). As tf.distribute.MirroredStrategy. Throws InvalidArgument on devices that
/// are not there or named twice and on options that do not fit together.
///
/// Layers of a graph in DeviceScopes of one CPU device, where the others have no scope or a GPU's, run once, on the
/// merged batch, in host memory (host_part.h); other scopes say nothing here, since the strategy's devices win.
struct Mirrored : Strategy {
  explicit Mirrored(MirroredOptions options = {});
};

}  // namespace tandem::distribute

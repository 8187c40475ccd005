#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/row_shares.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct DataParallelOptions {
  /// The processes, as init_process_group() gives them; must be there.
  std::optional<ProcessGroup> group = {};
  /// This process's, CPUs; empty: cpu:<local rank>. All processes must have as many.
  Devices devices = {};
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else this process's share of the cores / devices
  // As in MirroredOptions, over the devices of all processes, in the order of ranks. all_reduce "host" is not for
  // several processes.
  Shares shares = {};
  int64_t fixed_order = 0;
  std::string all_reduce = "auto";
  int64_t average_every = 0;
  int64_t bucket_bytes = 1 << 20;
  int64_t memory_limit = 0;
};

/// A replica of the model on each device of several processes, which run the same program on the same data:
///     auto group = distribute::init_process_group();
///     model.compile({..., .strategy = distribute::DataParallel({.group = group})});
/// Each process makes and computes its own rows of each global batch; gradients, losses, metrics and predictions are
/// those of all rows, with the numbers of Mirrored on as many devices, and every process gets the same. All begin with
/// rank 0's weights, optimizer state and random numbers. Rank 0 alone writes files and prints (Model::save on the other
/// ranks writes nothing). As tf.distribute.MultiWorkerMirroredStrategy.
///
/// Compile, fit, evaluate and predict are collective: all processes make the same calls. One that fails ends the
/// others' with PeerError, after which the group is of no use any more. Throws InvalidArgument on GPUs, on layers in
/// DeviceScopes, on options that do not fit together, and naming the rank whose model, options or data differ.
struct DataParallel : Strategy {
  explicit DataParallel(DataParallelOptions options);
};

}  // namespace tandem::distribute

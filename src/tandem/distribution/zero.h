#pragma once
#include <cstdint>
#include <optional>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/row_shares.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct ZeroOptions {
  /// Processes that train together, as init_process_group() gives them; none: this process alone.
  std::optional<ProcessGroup> group = {};
  /// This process's, of one kind; GPUs in stages 1 and 2, without a group. With a group all processes must have as
  /// many, and empty is cpu:<local rank>.
  Devices devices = {};
  /// What ranks (devices, of all processes) divide among themselves instead of each having all of it. 1: the
  /// optimizer's state; 2: gradients, too; 3: parameters, too.
  int64_t stage = 1;
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else this process's share of the cores / devices
  /// The optimizer's state lies in host memory, and the host makes the updates. Refused where it does so anyway: on
  /// CPUs.
  bool offload_optimizer = false;
  // As in MirroredOptions, over the devices of all processes.
  Shares shares = {};
  /// Gradients, and the parameters of stage 3, travel in buckets of this size at most, unless a weight is larger.
  int64_t bucket_bytes = 1 << 20;
  int64_t memory_limit = 0;
};

/// Data parallel training as Mirrored and DataParallel, with the numbers of one device, whose ranks divide memory that
/// Mirrored has on each of them (ZeRO; Rajbhandari et al. 2020). Of n ranks with float32 weights and Adam each has, in
/// bytes a parameter between steps:
///     stage 1: 8 + 8 / n     2: 4 + 12 / n     3: 16 / n     Mirrored: 16
/// In stage 3 the parameters of a layer are gathered before it computes, forward and backward, and their memory is free
/// again afterwards.
///
/// Throws InvalidArgument on devices that are not there or named twice, on layers in DeviceScopes, and naming
/// the optimizer where its rule needs whole weights (LAMB, Adafactor).
struct Zero : Strategy {
  explicit Zero(ZeroOptions options);
};

}  // namespace tandem::distribute

#pragma once
#include <cstdint>
#include <optional>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct TensorParallelOptions {
  /// CPUs of this process, each with a part of every layer that can be split.
  Devices devices = {};
  /// Processes, as init_process_group() gives them, each of which has one part; `devices` is then this one's, by
  /// default cpu:<local rank>.
  std::optional<ProcessGroup> group = {};
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else this process's share of the cores / devices
  int64_t memory_limit = 0;        // as in MirroredOptions, of a device
};

/// Each layer's weights divided over the devices, which compute every batch together (Shoeybi et al. 2019): "width
/// parallel" in one of its two senses. Dense by units and then by inputs, convolutions by filters and then by channels,
/// Embedding by rows, attention by heads, batch normalisation and depthwise convolutions in their channels; what lies
/// between goes on with the parts where it can, so that two layers share one exchange. The other layers are whole on
/// each device (the strategy's plan(*model.network()) says which, and why). The numbers are those of one device, files
/// the plain model's.
///
/// For functional and Sequential models. Throws InvalidArgument, naming it, on what cannot be split: a model with a
/// train_step of its own, one in which no layer can be split, an optimizer whose rule needs weights whole.
struct TensorParallel : Strategy {
  explicit TensorParallel(TensorParallelOptions options);
};

}  // namespace tandem::distribute

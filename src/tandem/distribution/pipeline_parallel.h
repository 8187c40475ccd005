#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct PipelineParallelOptions {
  /// The processes that have the stages together, as init_process_group() gives them; nothing: this one has all.
  std::optional<ProcessGroup> group = {};
  /// One a stage of each replica: the stages of the first replica, those of the second one, and so on, process by
  /// process. CPUs of this process; empty with a group: cpu:<local rank>. All processes must have as many.
  Devices devices = {};
  /// Replicas of the pipeline. Each gets its part of a batch, and gradients of a stage are added up over them.
  int64_t data = 1;
  int64_t micro_batches = 4;  // of each replica's part of a batch
  /// "gpipe": all forwards, then all backwards. "1f1b": as many micro batches as there are stages behind are alive at
  /// most. "interleaved": 1f1b with several `chunks` of the model a stage, micro_batches a multiple of the stages.
  std::string schedule = "1f1b";
  int64_t chunks = 1;
  /// Names of the layers that end a part of the model, one fewer than stages x chunks. Empty: where device scopes name
  /// several devices these are the parts; else parts are made that take alike long, by a measurement when the model is
  /// bound.
  std::vector<std::string> boundaries = {};
  /// Forward again before backward, from what a part was given: less memory for a third more time.
  bool recompute = false;
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else this process's share of the cores / stages
  int64_t memory_limit = 0;        // as in MirroredOptions, of a stage
};

/// Stages of a model on devices in a row, through which the micro batches of a batch go one after the other (Huang et
/// al. 2019, Narayanan et al. 2019 and 2021). Each stage has its layers' weights and optimizer state alone. The numbers
/// are those of one device for any division, but for what looks at a batch as a whole: batch normalisation normalises
/// each micro batch by itself, and its moving averages move once a batch, by the statistics of all rows. Values may go
/// past stages, layers may be shared by them. global_clipnorm is the norm over all stages. Losses and masks that leave
/// values out divide by all that count; how many these are is known only behind all forwards of a step, so such a model
/// is trained in the order of gpipe whatever `schedule` says.
///
/// With a group compile, fit, evaluate and predict are collective, as with DataParallel: every process gets the same,
/// rank 0 alone writes files and prints, and one that fails ends the others' with PeerError.
///
/// For functional and Sequential models. Throws InvalidArgument, naming it, on what cannot be staged: a model with a
/// train_step of its own, stateful layers, losses over the whole batch, synchronized batch normalisation, statistics
/// that two stages share.
struct PipelineParallel : Strategy {
  explicit PipelineParallel(PipelineParallelOptions options);
};

}  // namespace tandem::distribute

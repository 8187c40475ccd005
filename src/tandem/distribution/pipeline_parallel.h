#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct PipelineParallelOptions {
  Devices devices = {};       // one a stage, CPUs of this process
  int64_t micro_batches = 4;  // of each batch
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
};

/// Stages of a model on devices in a row, through which the micro batches of a batch go one after the other (Huang et
/// al. 2019, Narayanan et al. 2019 and 2021). Each stage has its layers' weights and optimizer state alone. The numbers
/// are those of one device for any division, but for what looks at a batch as a whole: batch normalisation normalises
/// each micro batch by itself, and its moving averages move once a batch, by the statistics of all rows. Values may go
/// past stages, layers may be shared by them. global_clipnorm is the norm over all stages.
///
/// For functional and Sequential models. Throws InvalidArgument, naming it, on what cannot be staged: a model with a
/// train_step of its own, stateful layers, losses over the whole batch, synchronized batch normalisation, statistics
/// that two stages share; in training on losses that leave values out.
struct PipelineParallel : Strategy {
  explicit PipelineParallel(PipelineParallelOptions options = {});
};

}  // namespace tandem::distribute

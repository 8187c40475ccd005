#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tandem/callbacks/callback.h"
#include "tandem/data/dataset.h"
#include "tandem/distribution/strategy.h"
#include "tandem/losses/loss.h"
#include "tandem/network/network.h"
#include "tandem/optimizers/optimizer.h"
#include "tandem/training/metric_set.h"
#include "tandem/training/progress_board.h"
#include "tandem/training/step_gate.h"

namespace tandem {

/// What a model was compiled with. Lists are by output.
struct TrainerParts {
  std::shared_ptr<Network> network;
  distribute::Strategy strategy;
  std::shared_ptr<Optimizer> optimizer;
  std::vector<std::shared_ptr<const Loss>> losses;
  std::vector<double> loss_weights;
  std::vector<std::vector<ShownMetric>> metrics;
};

struct FitPlan {
  Dataset data;
  std::optional<Dataset> validation;
  int64_t batch_size = 32;  // global; where the data set has none of its own
  int64_t validation_batch_size = 32;
  int64_t validation_freq = 1;  // epochs from one validation to the next
  int64_t epochs = 1;
  int64_t initial_epoch = 0;
  int64_t steps_per_epoch = -1;
  int64_t validation_steps = -1;  // batches of a validation; -1: all
  int64_t verbose = 1;
  std::vector<std::shared_ptr<Callback>> callbacks;
  int64_t accumulate = 1;  // batches to an update; the last one of an epoch ends its group
  // Of a training in the background; they must outlive it.
  StepGate* gate = nullptr;
  ProgressBoard* board = nullptr;
};

struct PassPlan {
  Dataset data;
  int64_t batch_size = 32;
  int64_t steps = -1;  // batches; -1: all
  int64_t verbose = 1;
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  StepGate* gate = nullptr;  // of the training that this validates
};

}  // namespace tandem

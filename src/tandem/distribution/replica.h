#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tandem/distribution/execution.h"
#include "tandem/distribution/flat_weights.h"

namespace tandem::distribute {

/// What one replica owns. Only its own thread touches it while a step runs.
struct Replica {
  /// `others`: statistics and frozen weights.
  Replica(const Program& program, const std::vector<Weight>& others);

  Tensor& own(const Weight& w) { return map.at(&w.variable()); }
  /// Forgets the results of the step before.
  void begin_step();

  FlatWeights trainable;
  std::vector<Weight> fixed;  // statistics and frozen weights
  std::vector<Weight> constrained;
  WeightMap map;
  std::vector<Tensor> slots;
  int64_t rows_trained = 0;
  int64_t rows_since_store = 0;
  double computing = 0;  // seconds

  // Results of the step in progress: this replica's parts of means over the whole batch.
  double loss = 0;
  std::vector<double> parts;               // each output's own loss
  std::map<std::string, double> reported;  // by the model's own step
  int64_t updates = 0;
  Tensors outputs;  // of predict
};

}  // namespace tandem::distribute

#pragma once
#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// A plan for weights of uneven shapes, one of them stored column by column, with gaps as FlatWeights leaves them.
ServerPlan plan_of(const std::string& optimizer, const Config& config, ServerPlan wishes, int64_t servers,
                   int64_t block_bytes);

/// Optimizers by class name and config: elementwise ones, one that clips by weight, one that needs whole weights.
std::vector<std::pair<std::string, Config>> rules();

/// One flat gradient a worker; 0 between weights.
std::vector<Tensor> some_gradients(const ServerPlan& plan, int64_t workers, int64_t step);

/// Their sum along the tree over workers.
Tensor tree_sum(const std::vector<Tensor>& gradients);

/// The plan's optimizer by itself on the whole flat buffer.
class PlainTraining {
 public:
  explicit PlainTraining(const ServerPlan& plan);
  void update(Tensor gradient);
  const Tensor& parameters() const { return parameters_; }
  const std::vector<Tensor>& slots() const { return slots_; }

 private:
  ServerPlan plan_;
  std::shared_ptr<Optimizer> optimizer_;
  Tensor parameters_;
  std::vector<Tensor> slots_;
  std::vector<double> numbers_;
  int64_t iteration_ = 0;
};

}  // namespace tandem::servers

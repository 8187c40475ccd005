#pragma once
#include "tandem/core/tensor.h"
#include "tandem/layers/call_context.h"

namespace tandem {

class Graph;

/// Computes graphs whose layers are spread over devices (CallContext::placed).
class PlacedRun {
 public:
  virtual ~PlacedRun() = default;
  /// What graph.run_steps returns, differentiable like it. Called on the thread of a replica, within its WeightScope.
  virtual Tensors run(const Graph& graph, const Tensors& inputs, const CallContext& context) = 0;
};

}  // namespace tandem

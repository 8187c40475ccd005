#pragma once
#include <functional>

#include "tandem/layers/call_context.h"

namespace tandem::distribute {

/// What layers see of the other replicas in a step (CallContext::replicas).
class SumOverReplicas final : public ReplicaSum {
 public:
  /// `add_up` makes a dense tensor the sum over the replicas of theirs, in place. It is called in forward and, for
  /// gradients, in backward, each time on the thread of the replica.
  explicit SumOverReplicas(std::function<void(Tensor&)> add_up) : add_up_(std::move(add_up)) {}
  Tensor operator()(const Tensor& tensor) override;

 private:
  std::function<void(Tensor&)> add_up_;
};

}  // namespace tandem::distribute

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

  /// On GPUs backward comes to the nodes of a graph on two threads, and to those that wait for other replicas in an
  /// order that may differ from replica to replica. So each of them takes this scalar, whatever its value, as one more
  /// input, and puts another output in its place: backward then comes to the last one first. Undefined before the
  /// first.
  Tensor& order() { return order_; }

 private:
  std::function<void(Tensor&)> add_up_;
  Tensor order_;
};

}  // namespace tandem::distribute

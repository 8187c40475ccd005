#pragma once
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/call_context.h"
#include "tandem/layers/weight.h"

namespace tandem {

/// One step of fit or evaluate as a model sees it on one replica: that replica's rows, and what compile was given. What
/// goes on between replicas happens within these calls, so a model's own train_step need not know how many there are;
/// every replica must make the same calls in the same order.
class Step {
 public:
  virtual ~Step() = default;

  /// This replica's rows; at least one.
  virtual const Tensors& x() const = 0;
  virtual const Tensors& y() const = 0;  // empty: data without targets
  /// Of an output's rows: (rows), or (rows, steps, ...) by step, or undefined.
  virtual Tensor sample_weight(int64_t output = 0) const = 0;
  /// To call layers with.
  virtual const CallContext& context() const = 0;

  /// compile's losses of these rows, with sample weights, losses that layers added, and regularisation: a scalar whose
  /// mean over all replicas, weighted by rows, is Keras's loss. Becomes the "loss" of the logs. Throws InvalidArgument
  /// without a compiled loss.
  virtual Tensor compute_loss(const Tensors& y_pred) = 0;

  /// Lowers `loss`, a differentiable scalar that is a mean over this replica's rows: backward, the mean of the
  /// gradients over all replicas by rows, clipping, the optimizer's update, constraints. `weights` limits the update to
  /// these (all trainable ones when empty). Throws InvalidArgument in evaluate, without a compiled optimizer, and on a
  /// loss that is no scalar.
  virtual void minimize(const Tensor& loss, const std::vector<Weight>& weights = {}) = 0;

  /// Updates compile's metrics.
  virtual void update_metrics(const Tensors& y_pred) = 0;

  /// Shows `value`, a scalar that is a mean over this replica's rows, under `name` in the logs: as the mean over the
  /// rows of the epoch so far. "loss" stands in for compute_loss's.
  virtual void report(const std::string& name, const Tensor& value) = 0;
};

}  // namespace tandem

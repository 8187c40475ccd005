#include "tandem/losses/loss.h"

#include "tandem/core/error.h"

namespace tandem {

Tensor Loss::call_with_logits(const Tensor& /*y_true*/, const Tensor& /*logits*/) const {
  throw InternalError(class_name() + ": has no form for logits, and says so by prefers_logits");
}

Tensor Loss::call_over_batch(const Tensor& /*y_true*/, const Tensor& /*y_pred*/, const SumOverBatch& /*sum*/) const {
  throw InternalError(class_name() + ": has no form for sums over replicas, and says so by over_batch");
}

}  // namespace tandem

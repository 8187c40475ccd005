#include "tandem/layers/activity_loss.h"

#include <ATen/ATen.h>

namespace tandem {

void add_activity_loss(const Handle<Regularizer>& regularizer, const Tensor& output, const CallContext& context) {
  if (!context.added_losses || regularizer.empty() || output.size(0) == 0) return;
  const bool lowered = at::isReducedFloatingType(output.scalar_type());
  context.add_loss((*regularizer.get())(lowered ? output.to(at::kFloat) : output) / output.size(0));
}

Handle<Regularizer> resolved(const Handle<Regularizer>& regularizer) {
  return regularizer.empty() ? regularizer : Handle<Regularizer>(regularizer.get());
}

}  // namespace tandem

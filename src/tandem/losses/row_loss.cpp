#include "tandem/losses/row_loss.h"

#include "tandem/losses/targets.h"

namespace tandem {

Tensor RowLoss::call(const Tensor& y_true, const Tensor& y_pred) const {
  const auto [truth, prediction] = matching_targets(y_true, y_pred, class_name());
  return values_(truth, prediction);
}

}  // namespace tandem

#include "tandem/losses/mean_absolute_percentage_error.h"

#include <ATen/ATen.h>

#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor percentage_errors(const Tensor& truth, const Tensor& prediction) {
  return ((truth - prediction) / truth.abs().clamp_min(1e-7)).abs().mean(-1) * 100;
}

}  // namespace

MeanAbsolutePercentageError::MeanAbsolutePercentageError(LossOptions options)
    : Handle(std::make_shared<RowLoss>("MeanAbsolutePercentageError", "mean_absolute_percentage_error",
                                       std::move(options.reduction), percentage_errors)) {}

}  // namespace tandem::losses

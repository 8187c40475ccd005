#include "tandem/losses/mean_absolute_error.h"

#include <ATen/ATen.h>

#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor absolute_errors(const Tensor& truth, const Tensor& prediction) { return (truth - prediction).abs().mean(-1); }

}  // namespace

MeanAbsoluteError::MeanAbsoluteError(LossOptions options)
    : Handle(std::make_shared<RowLoss>("MeanAbsoluteError", "mean_absolute_error", std::move(options.reduction),
                                       absolute_errors)) {}

}  // namespace tandem::losses

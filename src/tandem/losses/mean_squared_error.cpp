#include "tandem/losses/mean_squared_error.h"

#include <ATen/ATen.h>

#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor squared_errors(const Tensor& truth, const Tensor& prediction) { return (truth - prediction).square().mean(-1); }

}  // namespace

MeanSquaredError::MeanSquaredError(LossOptions options)
    : Handle(std::make_shared<RowLoss>("MeanSquaredError", "mean_squared_error", std::move(options.reduction),
                                       squared_errors)) {}

}  // namespace tandem::losses

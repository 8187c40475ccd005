#include "tandem/losses/mean_squared_logarithmic_error.h"

#include <ATen/ATen.h>

#include "tandem/losses/clip.h"
#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor log_above_one(const Tensor& x) { return (clip_below(x, 1e-7) + 1).log(); }

Tensor logarithmic_errors(const Tensor& truth, const Tensor& prediction) {
  return (log_above_one(prediction) - log_above_one(truth)).square().mean(-1);
}

}  // namespace

MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(LossOptions options)
    : Handle(std::make_shared<RowLoss>("MeanSquaredLogarithmicError", "mean_squared_logarithmic_error",
                                       std::move(options.reduction), logarithmic_errors)) {}

}  // namespace tandem::losses

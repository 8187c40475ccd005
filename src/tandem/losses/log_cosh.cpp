#include "tandem/losses/log_cosh.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor log_cosh_errors(const Tensor& truth, const Tensor& prediction) {
  const Tensor error = prediction - truth;
  return (error + at::softplus(error * -2) - std::log(2.0)).mean(-1);  // no cosh, which overflows
}

}  // namespace

LogCosh::LogCosh(LossOptions options)
    : Handle(std::make_shared<RowLoss>("LogCosh", "log_cosh", std::move(options.reduction), log_cosh_errors)) {}

}  // namespace tandem::losses

#include "tandem/losses/poisson.h"

#include <ATen/ATen.h>

#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor poisson_losses(const Tensor& truth, const Tensor& prediction) {
  return (prediction - truth * (prediction + 1e-7).log()).mean(-1);
}

}  // namespace

Poisson::Poisson(LossOptions options)
    : Handle(std::make_shared<RowLoss>("Poisson", "poisson", std::move(options.reduction), poisson_losses)) {}

}  // namespace tandem::losses

#include "tandem/losses/squared_hinge.h"

#include <ATen/ATen.h>

#include "tandem/losses/hinge_margins.h"
#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor squared_hinge_losses(const Tensor& truth, const Tensor& prediction) {
  return hinge_margins(truth, prediction, "SquaredHinge").square().mean(-1);
}

}  // namespace

SquaredHinge::SquaredHinge(LossOptions options)
    : Handle(std::make_shared<RowLoss>("SquaredHinge", "squared_hinge", std::move(options.reduction),
                                       squared_hinge_losses)) {}

}  // namespace tandem::losses

#include "tandem/losses/hinge.h"

#include <ATen/ATen.h>

#include "tandem/losses/hinge_margins.h"
#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor hinge_losses(const Tensor& truth, const Tensor& prediction) {
  return hinge_margins(truth, prediction, "Hinge").mean(-1);
}

}  // namespace

Hinge::Hinge(LossOptions options)
    : Handle(std::make_shared<RowLoss>("Hinge", "hinge", std::move(options.reduction), hinge_losses)) {}

}  // namespace tandem::losses

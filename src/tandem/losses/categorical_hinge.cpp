#include "tandem/losses/categorical_hinge.h"

#include <ATen/ATen.h>

#include "tandem/losses/clip.h"
#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor categorical_margins(const Tensor& truth, const Tensor& prediction) {
  const Tensor right = (truth * prediction).sum(-1), wrong = ((1 - truth) * prediction).amax(-1);
  return clip_below(wrong - right + 1, 0);
}

}  // namespace

CategoricalHinge::CategoricalHinge(LossOptions options)
    : Handle(std::make_shared<RowLoss>("CategoricalHinge", "categorical_hinge", std::move(options.reduction),
                                       categorical_margins)) {}

}  // namespace tandem::losses

#include "tandem/losses/kl_divergence.h"

#include <ATen/ATen.h>

#include "tandem/losses/clip.h"
#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

Tensor divergences(const Tensor& truth, const Tensor& prediction) {
  const Tensor p = truth.clamp(1e-7, 1), q = clip(prediction, 1e-7, 1);
  return (p * (p / q).log()).sum(-1);
}

}  // namespace

KLDivergence::KLDivergence(LossOptions options)
    : Handle(std::make_shared<RowLoss>("KLDivergence", "kl_divergence", std::move(options.reduction), divergences)) {}

}  // namespace tandem::losses

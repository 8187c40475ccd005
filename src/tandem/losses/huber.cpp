#include "tandem/losses/huber.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/losses/row_loss.h"

namespace tandem::losses {
namespace {

std::shared_ptr<Loss> make_huber(HuberOptions options) {
  const double delta = options.delta;
  if (!(delta > 0) || !std::isfinite(delta))
    throw InvalidArgument(c10::str("Huber: delta must be a finite number above 0, got ", delta));
  Config settings = Config::object();
  if (delta != 1) settings.set("delta", delta);
  const auto values = [delta](const Tensor& truth, const Tensor& prediction) {
    return at::huber_loss(prediction, truth, at::Reduction::None, delta).mean(-1);
  };
  return std::make_shared<RowLoss>("Huber", "huber_loss", std::move(options.reduction), values, std::move(settings));
}

}  // namespace

Huber::Huber(HuberOptions options) : Handle(make_huber(std::move(options))) {}

}  // namespace tandem::losses

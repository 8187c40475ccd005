#include "tandem/losses/dice.h"

#include <ATen/ATen.h>

#include "tandem/losses/overlap_loss.h"
#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

constexpr double kEpsilon = 1e-7;  // Keras's

Tensor dice_value(const Tensor& both, const Tensor& truth, const Tensor& prediction) {
  return 1 - 2 * both / (truth + prediction + kEpsilon);
}

std::shared_ptr<Loss> make_tversky(TverskyOptions options) {
  const double alpha = options.alpha, beta = options.beta;
  for (const double factor : {alpha, beta}) {
    if (!(factor >= 0))  // written so that NaN fails too
      throw InvalidArgument(c10::str("Tversky: alpha and beta must be at least 0, got ", factor));
  }
  const auto value = [alpha, beta](const Tensor& both, const Tensor& truth, const Tensor& prediction) {
    return 1 - both / (both + (truth - both) * alpha + (prediction - both) * beta + kEpsilon);
  };
  return std::make_shared<OverlapLoss>("Tversky", "tversky", std::move(options.reduction), std::move(options.axis),
                                       value, Config::object({{"alpha", alpha}, {"beta", beta}}));
}

}  // namespace

Dice::Dice(DiceOptions options)
    : Handle(std::make_shared<OverlapLoss>("Dice", "dice", std::move(options.reduction), std::move(options.axis),
                                           dice_value)) {}

Tversky::Tversky(TverskyOptions options) : Handle(make_tversky(std::move(options))) {}

}  // namespace tandem::losses

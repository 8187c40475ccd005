#include "tandem/losses/categorical_focal_crossentropy.h"

#include <ATen/ATen.h>

#include "tandem/losses/clip.h"
#include "tandem/losses/row_loss.h"
#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

constexpr const char* kCategoricalFocal = "CategoricalFocalCrossentropy";

std::shared_ptr<Loss> make_categorical_focal(const CategoricalFocalCrossentropyOptions& options) {
  check_share(options.label_smoothing, "label_smoothing", kCategoricalFocal);
  check_share(options.alpha, "alpha", kCategoricalFocal);
  check_focus(options.gamma, kCategoricalFocal);
  const auto values = [options](const Tensor& y_true, const Tensor& y_pred) {
    check_axis(options.axis, y_pred, kCategoricalFocal);
    const Tensor truth = smooth_classes(y_true, options.label_smoothing);
    Tensor p = options.from_logits ? y_pred.softmax(options.axis) : y_pred;
    p = clip_probabilities(p / p.sum(options.axis, /*keepdim=*/true));
    return (truth * p.log() * (1 - p).pow(options.gamma)).sum(options.axis) * -options.alpha;
  };
  return std::make_shared<RowLoss>(kCategoricalFocal, "categorical_focal_crossentropy", options.reduction, values,
                                   Config::object({{"from_logits", options.from_logits},
                                                   {"label_smoothing", options.label_smoothing},
                                                   {"axis", options.axis},
                                                   {"alpha", options.alpha},
                                                   {"gamma", options.gamma}}));
}

}  // namespace

CategoricalFocalCrossentropy::CategoricalFocalCrossentropy(CategoricalFocalCrossentropyOptions options)
    : Handle(make_categorical_focal(options)) {}

}  // namespace tandem::losses

#include "tandem/losses/binary_focal_crossentropy.h"

#include <ATen/ATen.h>

#include "tandem/losses/binary_values.h"
#include "tandem/losses/keras_loss.h"
#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

class BinaryFocalCrossentropyLoss final : public KerasLoss {
 public:
  explicit BinaryFocalCrossentropyLoss(const BinaryFocalCrossentropyOptions& options)
      : KerasLoss("BinaryFocalCrossentropy", "binary_focal_crossentropy", options.reduction,
                  Config::object({{"from_logits", options.from_logits},
                                  {"label_smoothing", options.label_smoothing},
                                  {"axis", options.axis},
                                  {"apply_class_balancing", options.apply_class_balancing},
                                  {"alpha", options.alpha},
                                  {"gamma", options.gamma}})),
        options_(options) {
    check_share(options.label_smoothing, "label_smoothing", class_name());
    check_share(options.alpha, "alpha", class_name());
    check_focus(options.gamma, class_name());
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    if (options_.from_logits) return call_with_logits(y_true, y_pred);
    const auto [truth, p] = targets(y_true, y_pred);
    return focused(truth, p, binary_values(truth, p));
  }

  // With from_logits Keras takes predictions for logits even where a sigmoid made them.
  bool prefers_logits() const override { return !options_.from_logits; }

  Tensor call_with_logits(const Tensor& y_true, const Tensor& logits) const override {
    const auto [truth, z] = targets(y_true, logits);
    return focused(truth, z.sigmoid(), binary_values_of_logits(truth, z));
  }

 private:
  std::pair<Tensor, Tensor> targets(const Tensor& y_true, const Tensor& y_pred) const {
    auto [truth, prediction] = matching_targets(y_true, y_pred, class_name());
    check_axis(options_.axis, prediction, class_name());
    return {smooth_bits(truth, options_.label_smoothing), prediction};
  }

  Tensor focused(const Tensor& truth, const Tensor& p, const Tensor& crossentropy) const {
    const Tensor of_target = truth * p + (1 - truth) * (1 - p);
    Tensor values = (1 - of_target).pow(options_.gamma) * crossentropy;
    if (options_.apply_class_balancing) values = values * (truth * options_.alpha + (1 - truth) * (1 - options_.alpha));
    return values.mean(options_.axis);
  }

  BinaryFocalCrossentropyOptions options_;
};

}  // namespace

BinaryFocalCrossentropy::BinaryFocalCrossentropy(BinaryFocalCrossentropyOptions options)
    : Handle(std::make_shared<BinaryFocalCrossentropyLoss>(options)) {}

}  // namespace tandem::losses

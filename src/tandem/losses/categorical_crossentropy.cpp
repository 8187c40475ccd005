#include "tandem/losses/categorical_crossentropy.h"

#include <ATen/ATen.h>

#include "tandem/losses/clip.h"
#include "tandem/losses/keras_loss.h"
#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

class CategoricalCrossentropyLoss final : public KerasLoss {
 public:
  explicit CategoricalCrossentropyLoss(const CategoricalCrossentropyOptions& options)
      : KerasLoss("CategoricalCrossentropy", "categorical_crossentropy", options.reduction,
                  Config::object({{"from_logits", options.from_logits},
                                  {"label_smoothing", options.label_smoothing},
                                  {"axis", options.axis}})),
        options_(options) {
    check_share(options.label_smoothing, "label_smoothing", class_name());
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    if (options_.from_logits) return call_with_logits(y_true, y_pred);
    const auto [truth, p] = targets(y_true, y_pred);
    const Tensor normalised = p / p.sum(options_.axis, /*keepdim=*/true);
    return (truth * clip_probabilities(normalised).log()).sum(options_.axis).neg();
  }

  // Keras on TensorFlow takes the logits behind a softmax even where from_logits says that the predictions are logits.
  bool prefers_logits() const override { return true; }

  Tensor call_with_logits(const Tensor& y_true, const Tensor& logits) const override {
    const auto [truth, z] = targets(y_true, logits);
    return (truth * z.log_softmax(options_.axis)).sum(options_.axis).neg();
  }

 private:
  std::pair<Tensor, Tensor> targets(const Tensor& y_true, const Tensor& y_pred) const {
    auto [truth, prediction] = matching_targets(y_true, y_pred, class_name());
    check_axis(options_.axis, prediction, class_name());
    return {smooth_classes(truth, options_.label_smoothing), prediction};
  }

  CategoricalCrossentropyOptions options_;
};

}  // namespace

CategoricalCrossentropy::CategoricalCrossentropy(CategoricalCrossentropyOptions options)
    : Handle(std::make_shared<CategoricalCrossentropyLoss>(options)) {}

}  // namespace tandem::losses

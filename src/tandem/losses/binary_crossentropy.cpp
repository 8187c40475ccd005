#include "tandem/losses/binary_crossentropy.h"

#include <ATen/ATen.h>

#include "tandem/losses/binary_values.h"
#include "tandem/losses/keras_loss.h"
#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

class BinaryCrossentropyLoss final : public KerasLoss {
 public:
  explicit BinaryCrossentropyLoss(const BinaryCrossentropyOptions& options)
      : KerasLoss("BinaryCrossentropy", "binary_crossentropy", options.reduction,
                  Config::object({{"from_logits", options.from_logits},
                                  {"label_smoothing", options.label_smoothing},
                                  {"axis", options.axis}})),
        options_(options) {
    check_share(options.label_smoothing, "label_smoothing", class_name());
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    if (options_.from_logits) return call_with_logits(y_true, y_pred);
    const auto [truth, p] = targets(y_true, y_pred);
    return binary_values(truth, p).mean(options_.axis);
  }

  // Keras on TensorFlow takes the logits behind a sigmoid even where from_logits says that the predictions are logits.
  bool prefers_logits() const override { return true; }

  Tensor call_with_logits(const Tensor& y_true, const Tensor& logits) const override {
    const auto [truth, z] = targets(y_true, logits);
    return binary_values_of_logits(truth, z).mean(options_.axis);
  }

 private:
  std::pair<Tensor, Tensor> targets(const Tensor& y_true, const Tensor& y_pred) const {
    auto [truth, prediction] = matching_targets(y_true, y_pred, class_name());
    check_axis(options_.axis, prediction, class_name());
    return {smooth_bits(truth, options_.label_smoothing), prediction};
  }

  BinaryCrossentropyOptions options_;
};

}  // namespace

BinaryCrossentropy::BinaryCrossentropy(BinaryCrossentropyOptions options)
    : Handle(std::make_shared<BinaryCrossentropyLoss>(options)) {}

}  // namespace tandem::losses

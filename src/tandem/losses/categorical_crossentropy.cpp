#include "tandem/losses/categorical_crossentropy.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

class CategoricalCrossentropyLoss final : public Loss {
 public:
  explicit CategoricalCrossentropyLoss(const CategoricalCrossentropyOptions& options) : options_(options) {
    // Written so that NaN fails too.
    if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
      throw InvalidArgument(
          c10::str("CategoricalCrossentropy: label_smoothing must lie in [0, 1], got ", options.label_smoothing));
    }
  }

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    if (options_.from_logits) return call_with_logits(y_true, y_pred);
    const auto [truth, p] = targets(y_true, y_pred);
    const Tensor normalised = p / p.sum(options_.axis, /*keepdim=*/true);
    return (truth * normalised.clamp(1e-7, 1 - 1e-7).log()).sum(options_.axis).neg();
  }

  // Keras on TensorFlow takes the logits behind a softmax even where from_logits says that the predictions are logits.
  bool prefers_logits() const override { return true; }

  Tensor call_with_logits(const Tensor& y_true, const Tensor& logits) const override {
    const auto [truth, z] = targets(y_true, logits);
    return (truth * z.log_softmax(options_.axis)).sum(options_.axis).neg();
  }

  std::string class_name() const override { return "CategoricalCrossentropy"; }
  Config get_config() const override {
    return Config::object({{"name", "categorical_crossentropy"},
                           {"reduction", "sum_over_batch_size"},
                           {"from_logits", options_.from_logits},
                           {"label_smoothing", options_.label_smoothing},
                           {"axis", options_.axis}});
  }

 private:
  std::pair<Tensor, Tensor> targets(const Tensor& y_true, const Tensor& y_pred) const {
    auto pair = matching_targets(y_true, y_pred, class_name());
    const int64_t rank = pair.second.dim();
    if (options_.axis < -rank || options_.axis >= rank) {
      throw InvalidArgument(c10::str("CategoricalCrossentropy: axis must be one of the predictions' ",
                                     shape_text(y_pred), ", got ", options_.axis));
    }
    // Keras counts the classes along the last axis, whatever `axis` is.
    const double smoothing = options_.label_smoothing;
    if (smoothing != 0) {
      pair.first = pair.first * (1 - smoothing) + smoothing / static_cast<double>(pair.first.size(-1));
    }
    return pair;
  }

  CategoricalCrossentropyOptions options_;
};

}  // namespace

CategoricalCrossentropy::CategoricalCrossentropy(CategoricalCrossentropyOptions options)
    : Handle(std::make_shared<CategoricalCrossentropyLoss>(options)) {}

}  // namespace tandem::losses

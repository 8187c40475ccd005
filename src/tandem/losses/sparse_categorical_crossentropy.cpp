#include "tandem/losses/sparse_categorical_crossentropy.h"

#include <ATen/ATen.h>

#include "tandem/losses/clip.h"
#include "tandem/losses/keras_loss.h"
#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

class SparseCategoricalCrossentropyLoss final : public KerasLoss {
 public:
  explicit SparseCategoricalCrossentropyLoss(const SparseCategoricalCrossentropyOptions& options)
      : KerasLoss("SparseCategoricalCrossentropy", "sparse_categorical_crossentropy", options.reduction,
                  Config::object({{"from_logits", options.from_logits},
                                  {"ignore_class", options.ignore_class ? Config(*options.ignore_class) : Config()}})),
        options_(options) {}

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    if (options_.from_logits) return call_with_logits(y_true, y_pred);
    return call_with_logits(y_true, clip_probabilities(y_pred).log());
  }

  // Keras on TensorFlow takes the logits behind a softmax even where from_logits says that the predictions are logits.
  bool prefers_logits() const override { return true; }

  Tensor call_with_logits(const Tensor& y_true, const Tensor& logits) const override {
    const Tensor ids = class_ids(y_true, logits, class_name());
    const int64_t classes = logits.size(-1);
    if (!options_.ignore_class) check_class_ids(ids, classes, class_name());
    const int64_t ignored = options_.ignore_class.value_or(kNone);
    if (options_.ignore_class) check_class_ids(ids.masked_fill(ids.eq(ignored), 0), classes, class_name());
    const Tensor log_p = logits.log_softmax(-1).reshape({-1, classes});
    return at::nll_loss(log_p, ids.reshape(-1), {}, at::Reduction::None, ignored).view(ids.sizes());
  }

  Tensor mask(const Tensor& y_true, const Tensor& y_pred) const override {
    if (!options_.ignore_class) return {};
    return class_ids(y_true, y_pred, class_name()).ne(*options_.ignore_class);
  }

  bool has_mask() const override { return options_.ignore_class.has_value(); }

 private:
  static constexpr int64_t kNone = -100;  // no label: those below 0 are refused
  SparseCategoricalCrossentropyOptions options_;
};

}  // namespace

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(SparseCategoricalCrossentropyOptions options)
    : Handle(std::make_shared<SparseCategoricalCrossentropyLoss>(options)) {}

}  // namespace tandem::losses

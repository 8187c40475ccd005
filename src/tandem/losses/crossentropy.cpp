#include "tandem/losses/crossentropy.h"

#include <ATen/ATen.h>

#include "tandem/losses/binary_crossentropy.h"
#include "tandem/losses/categorical_crossentropy.h"
#include "tandem/losses/keras_loss.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"

namespace tandem::losses {
namespace {

class CrossentropyLoss final : public KerasLoss {
 public:
  explicit CrossentropyLoss(const LossOptions& options)
      : KerasLoss("Crossentropy", "crossentropy", options.reduction),
        binary_(BinaryCrossentropy().get()),
        categorical_(CategoricalCrossentropy().get()),
        sparse_(SparseCategoricalCrossentropy().get()) {}

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return fitting(y_true, y_pred).call(y_true, y_pred);
  }
  bool prefers_logits() const override { return true; }
  Tensor call_with_logits(const Tensor& y_true, const Tensor& logits) const override {
    return fitting(y_true, logits).call_with_logits(y_true, logits);
  }

 private:
  const Loss& fitting(const Tensor& y_true, const Tensor& y_pred) const {
    if (y_pred.size(-1) == 1) return *binary_;
    return y_true.dim() < y_pred.dim() || y_true.size(-1) == 1 ? *sparse_ : *categorical_;
  }

  std::shared_ptr<const Loss> binary_, categorical_, sparse_;
};

}  // namespace

Crossentropy::Crossentropy(LossOptions options) : Handle(std::make_shared<CrossentropyLoss>(options)) {}

}  // namespace tandem::losses

#pragma once
#include <string>

#include "tandem/losses/function.h"
#include "tandem/losses/keras_loss.h"

namespace tandem {

/// A loss of Keras that is a function of target and prediction, which it gets in one shape and type.
class RowLoss final : public KerasLoss {
 public:
  RowLoss(std::string class_name, std::string name, std::string reduction, losses::LossFunction values,
          Config settings = Config::object())
      : KerasLoss(std::move(class_name), std::move(name), std::move(reduction), std::move(settings)),
        values_(std::move(values)) {}

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  losses::LossFunction values_;
};

}  // namespace tandem

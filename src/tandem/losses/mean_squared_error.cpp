#include "tandem/losses/mean_squared_error.h"

#include <ATen/ATen.h>

#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

class MeanSquaredErrorLoss final : public Loss {
 public:
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const auto [truth, prediction] = matching_targets(y_true, y_pred, class_name());
    return (truth - prediction).square().mean(-1);
  }

  std::string class_name() const override { return "MeanSquaredError"; }
  Config get_config() const override {
    return Config::object({{"name", "mean_squared_error"}, {"reduction", "sum_over_batch_size"}});
  }
};

}  // namespace

MeanSquaredError::MeanSquaredError() : Handle(std::make_shared<MeanSquaredErrorLoss>()) {}

}  // namespace tandem::losses

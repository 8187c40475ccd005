#include "tandem/optimizers/loss_scaling.h"

#include "tandem/optimizers/settings.h"
#include "tandem/optimizers/wrapped_optimizer.h"

namespace tandem {
namespace {

class LossScalingOptimizer final : public WrappedOptimizer {
 public:
  LossScalingOptimizer(std::shared_ptr<Optimizer> rule, double factor)
      : WrappedOptimizer(std::move(rule), {}), factor_(factor) {}

  double loss_scale(std::span<const double>) const override { return factor_; }
  Config get_config() const override { return WrappedOptimizer::get_config().set("loss_scale_factor", factor_); }

 private:
  double factor_;
};

}  // namespace

std::shared_ptr<Optimizer> with_loss_scale(std::shared_ptr<Optimizer> rule, double factor) {
  check_at_least_zero(rule->class_name(), "loss_scale_factor", factor);
  if (factor == 0) return rule;
  return std::make_shared<LossScalingOptimizer>(std::move(rule), factor);
}

}  // namespace tandem

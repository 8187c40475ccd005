#include "tandem/optimizers/averaging.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"
#include "tandem/optimizers/wrapped_optimizer.h"

namespace tandem {
namespace {

class AveragingOptimizer final : public WrappedOptimizer {
 public:
  AveragingOptimizer(std::shared_ptr<Optimizer> rule, const Averaging& averaging)
      : WrappedOptimizer(std::move(rule), {"average"}), averaging_(averaging) {
    check_in_unit_interval(class_name(), "ema_momentum", averaging.momentum);
    if (averaging.overwrite_frequency < 0) {
      throw InvalidArgument(c10::str(class_name(), ": ema_overwrite_frequency must be at least 1, or 0 for never, got ",
                                     averaging.overwrite_frequency));
    }
  }

  std::optional<std::size_t> weight_average_slot() const override { return 0; }

  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
              double rate) const override {
    WrappedOptimizer::update(parameter, gradient, slots, iteration, rate);
    const c10::AutoGradMode no_gradient(false);
    Tensor average = slots[0].sizes() == parameter.sizes() ? slots[0] : slots[0].view_as(parameter);
    // As in Keras the average moves with every batch, but counts updates: until the first it is the weight itself.
    const int64_t updates = iteration / gradient_accumulation_steps();
    average.lerp_(parameter, updates == 0 ? 1 : 1 - averaging_.momentum);
    const int64_t every = averaging_.overwrite_frequency;
    if (every > 0 && (updates + 1) % every == 0) parameter.copy_(average);
  }

  Config get_config() const override {
    const int64_t every = averaging_.overwrite_frequency;
    return WrappedOptimizer::get_config()
        .set("use_ema", true)
        .set("ema_momentum", averaging_.momentum)
        .set("ema_overwrite_frequency", every == 0 ? Config() : Config(every));
  }

 private:
  Averaging averaging_;
};

}  // namespace

std::shared_ptr<Optimizer> with_averages(std::shared_ptr<Optimizer> rule, const Averaging& averaging) {
  if (!averaging.use_ema) return rule;
  return std::make_shared<AveragingOptimizer>(std::move(rule), averaging);
}

}  // namespace tandem

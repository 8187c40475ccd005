#include "tandem/optimizers/averaging.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"

namespace tandem {
namespace {

class AveragingOptimizer final : public Optimizer {
 public:
  AveragingOptimizer(std::shared_ptr<Optimizer> rule, const Averaging& averaging)
      : Optimizer(rule->rate(), rule->clipping(), rule->class_name()), rule_(std::move(rule)), averaging_(averaging) {
    check_in_unit_interval(class_name(), "ema_momentum", averaging.momentum);
    if (averaging.overwrite_frequency < 0) {
      throw InvalidArgument(c10::str(class_name(), ": ema_overwrite_frequency must be at least 1, or 0 for never, got ",
                                     averaging.overwrite_frequency));
    }
  }

  std::vector<std::string> slots() const override {
    auto names = rule_->slots();
    names.insert(names.begin(), "average");
    return names;
  }
  double initial_slot(std::size_t slot) const override { return slot == 0 ? 0 : rule_->initial_slot(slot - 1); }
  Shape slot_shape(std::size_t slot, const Shape& weight) const override {
    return slot == 0 ? weight : rule_->slot_shape(slot - 1, weight);
  }
  std::vector<double> derived_values(int64_t updates) const override { return rule_->derived_values(updates); }
  std::optional<std::size_t> weight_average_slot() const override { return 0; }

  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
              double rate) const override {
    rule_->update(parameter, gradient, slots.subspan(1), iteration, rate);
    const c10::AutoGradMode no_gradient(false);
    Tensor average = slots[0].sizes() == parameter.sizes() ? slots[0] : slots[0].view_as(parameter);
    average.lerp_(parameter, iteration == 0 ? 1 : 1 - averaging_.momentum);
    const int64_t every = averaging_.overwrite_frequency;
    if (every > 0 && (iteration + 1) % every == 0) parameter.copy_(average);
  }
  bool elementwise() const override { return rule_->elementwise(); }

  std::string class_name() const override { return rule_->class_name(); }
  Config get_config() const override {
    Config config = rule_->get_config();
    // The rule does not hear of a rate that was set later.
    config.set("learning_rate", optimizer_config("", rate(), 0, {}).at("learning_rate"));
    const int64_t every = averaging_.overwrite_frequency;
    return config.set("use_ema", true)
        .set("ema_momentum", averaging_.momentum)
        .set("ema_overwrite_frequency", every == 0 ? Config() : Config(every));
  }

 private:
  std::shared_ptr<Optimizer> rule_;
  Averaging averaging_;
};

}  // namespace

std::shared_ptr<Optimizer> with_averages(std::shared_ptr<Optimizer> rule, const Averaging& averaging) {
  if (!averaging.use_ema) return rule;
  return std::make_shared<AveragingOptimizer>(std::move(rule), averaging);
}

}  // namespace tandem

#include "tandem/optimizers/accumulation.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/optimizers/wrapped_optimizer.h"

namespace tandem {
namespace {

class AccumulatingOptimizer final : public WrappedOptimizer {
 public:
  AccumulatingOptimizer(std::shared_ptr<Optimizer> rule, int64_t steps)
      : WrappedOptimizer(std::move(rule), {"gradient_accumulator"}), steps_(steps) {
    if (steps < 2) {
      throw InvalidArgument(
          c10::str(class_name(), ": gradient_accumulation_steps must be at least 2, or 0 for none, got ", steps));
    }
  }

  int64_t gradient_accumulation_steps() const override { return steps_; }
  std::vector<double> derived_values(int64_t iterations) const override {
    return WrappedOptimizer::derived_values(iterations / steps_);
  }
  bool prepares() const override { return true; }

  bool prepare(const Preparation& all) const override {
    const c10::AutoGradMode no_gradient(false);
    Tensor& sum = all.slots[0];
    if (!ends_group(all.iteration)) {
      sum.add_(all.gradients);
      return true;
    }
    all.gradients.add_(sum).div_(static_cast<double>(steps_));
    sum.zero_();
    return WrappedOptimizer::prepare(all);
  }

  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
              double rate) const override {
    if (ends_group(iteration)) WrappedOptimizer::update(parameter, gradient, slots, iteration / steps_, rate);
  }

  Config get_config() const override {
    return WrappedOptimizer::get_config().set("gradient_accumulation_steps", steps_);
  }

 private:
  bool ends_group(int64_t iteration) const { return (iteration + 1) % steps_ == 0; }

  int64_t steps_;
};

}  // namespace

std::shared_ptr<Optimizer> with_accumulation(std::shared_ptr<Optimizer> rule, int64_t steps) {
  if (steps == 0) return rule;
  return std::make_shared<AccumulatingOptimizer>(std::move(rule), steps);
}

}  // namespace tandem

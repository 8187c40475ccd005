#include "tandem/optimizers/lamb.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/settings.h"
#include "tandem/optimizers/weight_optimizer.h"

namespace tandem::optimizers {
namespace {

class LambOptimizer final : public WeightOptimizer {
 public:
  explicit LambOptimizer(const LambOptions& options)
      : WeightOptimizer(common_settings("Lamb", "lamb", options, {"momentum", "velocity"})), options_(options) {
    check_below_one("Lamb", "beta_1", options.beta_1);
    check_below_one("Lamb", "beta_2", options.beta_2);
    check_at_least_zero("Lamb", "epsilon", options.epsilon);
  }

  Config get_config() const override {
    Config config = WeightOptimizer::get_config();
    config.set("beta_1", options_.beta_1);
    config.set("beta_2", options_.beta_2);
    config.set("epsilon", options_.epsilon);
    return config;
  }

 private:
  void apply(int64_t update, double rate, Tensor& parameter, const Tensor& gradient,
             std::span<Tensor> slots) const override {
    const double first = 1 - std::pow(options_.beta_1, static_cast<double>(update));
    const double second = 1 - std::pow(options_.beta_2, static_cast<double>(update));
    Tensor m = slots[0].view_as(parameter), v = slots[1].view_as(parameter);
    m.lerp_(gradient, 1 - options_.beta_1);
    v.lerp_(gradient.square(), 1 - options_.beta_2);
    const Tensor step = (m / first).div_((v / second).sqrt_().add_(options_.epsilon));
    const double length = parameter.norm().item<double>(), step_length = step.norm().item<double>();
    const bool both = length > 0 && step_length > 0;  // not where one is NaN: the step then carries it on
    parameter.add_(step, -rate * (both ? length / step_length : 1));
  }

  LambOptions options_;
};

}  // namespace

Lamb::Lamb(LambOptions options) : Handle(around_rule(options, std::make_shared<LambOptimizer>(options))) {}

Lamb Lamb::from_config(const Config& config) {
  ConfigReader reader("Lamb", config);
  LambOptions options;
  read_common(reader, options);
  reader.read("beta_1", options.beta_1).read("beta_2", options.beta_2).read("epsilon", options.epsilon).finish();
  return Lamb(options);
}

}  // namespace tandem::optimizers

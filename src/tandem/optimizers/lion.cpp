#include "tandem/optimizers/lion.h"

#include <ATen/ATen.h>

#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

template <class T>
struct LionFactors {
  T rate, keep, beta_1, beta_2;
};

template <class T>
void lion_steps(T* __restrict w, const T* __restrict g, T* __restrict m, int64_t n, const LionFactors<T>& k) {
  for (int64_t i = 0; i < n; ++i) {
    const T direction = m[i] * k.beta_1 + g[i] * (1 - k.beta_1);
    // sign(direction) * rate; NaN stays NaN
    const T step = direction > 0 ? k.rate : direction < 0 ? -k.rate : direction;
    w[i] = w[i] * k.keep - step;
    m[i] = m[i] * k.beta_2 + g[i] * (1 - k.beta_2);
  }
}

class LionOptimizer final : public FlatOptimizer {
 public:
  explicit LionOptimizer(const LionOptions& options)
      : FlatOptimizer(common_settings("Lion", "lion", options, {"momentum"})), options_(options) {
    check_in_unit_interval("Lion", "beta_1", options.beta_1);
    check_in_unit_interval("Lion", "beta_2", options.beta_2);
  }

  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("beta_1", options_.beta_1);
    config.set("beta_2", options_.beta_2);
    return config;
  }

 private:
  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    lion_steps(e.weight, e.gradient, e.slots[0], e.count,
               LionFactors<T>{static_cast<T>(step.rate), static_cast<T>(step.keep), static_cast<T>(options_.beta_1),
                              static_cast<T>(options_.beta_2)});
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    parameter.sub_((slots[0] * options_.beta_1).add_(gradient, 1 - options_.beta_1).sign_(), step.rate);
    slots[0].mul_(options_.beta_2).add_(gradient, 1 - options_.beta_2);
  }

  LionOptions options_;
};

}  // namespace

Lion::Lion(LionOptions options) : Handle(around_rule(options, std::make_shared<LionOptimizer>(options))) {}

Lion Lion::from_config(const Config& config) {
  ConfigReader reader("Lion", config);
  LionOptions options;
  read_common(reader, options);
  reader.read("beta_1", options.beta_1).read("beta_2", options.beta_2).finish();
  return Lion(options);
}

}  // namespace tandem::optimizers

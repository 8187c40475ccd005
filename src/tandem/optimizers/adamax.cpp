#include "tandem/optimizers/adamax.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

template <class T>
struct AdamaxFactors {
  T rate, correction, first, beta_2, epsilon, keep;  // correction is 1 - beta_1^t, first is 1 - beta_1
};

template <class T>
void adamax_steps(T* __restrict w, const T* __restrict g, T* __restrict m, T* __restrict u, int64_t n,
                  const AdamaxFactors<T>& k) {
  for (int64_t i = 0; i < n; ++i) {
    m[i] += (g[i] - m[i]) * k.first;
    const T kept = u[i] * k.beta_2, size = std::abs(g[i]);
    u[i] = kept > size ? kept : size;
    w[i] = w[i] * k.keep - m[i] * k.rate / (k.correction * (u[i] + k.epsilon));
  }
}

class AdamaxOptimizer final : public FlatOptimizer {
 public:
  explicit AdamaxOptimizer(const AdamaxOptions& options)
      : FlatOptimizer(common_settings("Adamax", "adamax", options, {"momentum", "norm"})), options_(options) {
    check_below_one("Adamax", "beta_1", options.beta_1);
    check_below_one("Adamax", "beta_2", options.beta_2);
    check_at_least_zero("Adamax", "epsilon", options.epsilon);
  }

  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("beta_1", options_.beta_1);
    config.set("beta_2", options_.beta_2);
    config.set("epsilon", options_.epsilon);
    return config;
  }

 private:
  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  AdamaxFactors<T> factors(const Step& step) const {
    return {static_cast<T>(step.rate),
            1 - std::pow(static_cast<T>(options_.beta_1), static_cast<T>(step.iteration + 1)),
            static_cast<T>(1 - options_.beta_1),
            static_cast<T>(options_.beta_2),
            static_cast<T>(options_.epsilon),
            static_cast<T>(step.keep)};
  }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    adamax_steps(e.weight, e.gradient, e.slots[0], e.slots[1], e.count, factors<T>(step));
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    const auto k = factors<double>(step);
    Tensor &m = slots[0], &u = slots[1];
    m.lerp_(gradient, k.first);
    u.mul_(k.beta_2);
    at::maximum_out(u, u, gradient.abs());
    parameter.addcdiv_(m, u + k.epsilon, -k.rate / k.correction);
  }

  AdamaxOptions options_;
};

}  // namespace

Adamax::Adamax(AdamaxOptions options) : Handle(around_rule(options, std::make_shared<AdamaxOptimizer>(options))) {}

Adamax Adamax::from_config(const Config& config) {
  ConfigReader reader("Adamax", config);
  AdamaxOptions options;
  read_common(reader, options);
  reader.read("beta_1", options.beta_1).read("beta_2", options.beta_2).read("epsilon", options.epsilon).finish();
  return Adamax(options);
}

}  // namespace tandem::optimizers

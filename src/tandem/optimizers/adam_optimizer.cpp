#include "tandem/optimizers/adam_optimizer.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/kernels/square_roots.h"
#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

/// What is the same for all elements of an update, in their type.
template <class T>
struct AdamFactors {
  T alpha;          // rate * sqrt(1 - beta_2^t) / (1 - beta_1^t)
  T first, second;  // 1 - beta_1, 1 - beta_2
  T epsilon, keep;
};

/// n <= kMost elements in Keras's order of operations; `largest` is null without amsgrad.
template <int64_t kMost, class T>
[[gnu::always_inline]] inline void adam_strip(T* __restrict w, const T* __restrict g, T* __restrict m, T* __restrict v,
                                              T* __restrict largest, int64_t n, const AdamFactors<T>& k) {
  T root[kMost];
  for (int64_t i = 0; i < n; ++i) {
    m[i] += (g[i] - m[i]) * k.first;
    v[i] += (g[i] * g[i] - v[i]) * k.second;
    root[i] = v[i];
  }
  if (largest) {
    for (int64_t i = 0; i < n; ++i) {
      root[i] = v[i] > largest[i] ? v[i] : largest[i];
      largest[i] = root[i];
    }
  }
  kernels::square_roots(root, n);
  for (int64_t i = 0; i < n; ++i) w[i] = w[i] * k.keep - m[i] * k.alpha / (root[i] + k.epsilon);
}

class AdamOptimizer final : public FlatOptimizer {
 public:
  AdamOptimizer(const std::string& class_name, const std::string& name, const AdamOptions& options)
      : FlatOptimizer(common_settings(class_name, name, options,
                                      options.amsgrad ? std::vector<std::string>{"momentum", "velocity", "velocity_hat"}
                                                      : std::vector<std::string>{"momentum", "velocity"})),
        options_(options) {
    check_below_one(class_name, "beta_1", options.beta_1);
    check_below_one(class_name, "beta_2", options.beta_2);
    check_at_least_zero(class_name, "epsilon", options.epsilon);
  }

  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    // AdamW writes its decay even when it is 0; Adam's is null then.
    if (class_name() == "AdamW") config.set("weight_decay", options_.weight_decay);
    config.set("beta_1", options_.beta_1);
    config.set("beta_2", options_.beta_2);
    config.set("epsilon", options_.epsilon);
    config.set("amsgrad", options_.amsgrad);
    return config;
  }

 private:
  template <class T>
  AdamFactors<T> factors(const Step& step) const {
    const T update = static_cast<T>(step.iteration + 1);
    const T beta_1_power = std::pow(static_cast<T>(options_.beta_1), update);
    const T beta_2_power = std::pow(static_cast<T>(options_.beta_2), update);
    return {static_cast<T>(step.rate) * std::sqrt(1 - beta_2_power) / (1 - beta_1_power),
            static_cast<T>(1 - options_.beta_1), static_cast<T>(1 - options_.beta_2), static_cast<T>(options_.epsilon),
            static_cast<T>(step.keep)};
  }

  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    const AdamFactors<T> k = factors<T>(step);
    T* const m = e.slots[0];
    T* const v = e.slots[1];
    T* const largest = options_.amsgrad ? e.slots[2] : nullptr;
    for_each_strip(e.count, [&](int64_t i, int64_t n) {
      adam_strip<kStrip>(e.weight + i, e.gradient + i, m + i, v + i, largest ? largest + i : nullptr, n, k);
    });
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    const auto k = factors<double>(step);
    Tensor &m = slots[0], &v = slots[1];
    m.lerp_(gradient, k.first);
    v.lerp_(gradient.square(), k.second);
    if (options_.amsgrad) at::maximum_out(slots[2], slots[2], v);
    parameter.addcdiv_(m, (options_.amsgrad ? slots[2] : v).sqrt().add_(k.epsilon), -k.alpha);
  }

  AdamOptions options_;
};

}  // namespace

std::shared_ptr<Optimizer> make_adam(const std::string& class_name, const std::string& name,
                                     const AdamOptions& options) {
  return around_rule(options, std::make_shared<AdamOptimizer>(class_name, name, options));
}

}  // namespace tandem::optimizers

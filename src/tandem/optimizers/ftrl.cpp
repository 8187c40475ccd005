#include "tandem/optimizers/ftrl.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/kernels/square_roots.h"
#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

/// What is the same for all elements of an update, in their type.
template <class T>
struct FtrlFactors {
  T rate, power;  // power = -learning_rate_power
  T l1, shrinkage, damping;
  T keep;
};

template <class T>
void raise(T* __restrict x, int64_t n, T power) {
  if (power == T(0.5)) return kernels::square_roots(x, n);
  for (int64_t i = 0; i < n; ++i) x[i] = std::pow(x[i], power);
}

/// n <= kMost elements in Keras's order of operations.
template <int64_t kMost, class T>
[[gnu::always_inline]] inline void ftrl_strip(T* __restrict w, const T* __restrict g, T* __restrict sum,
                                              T* __restrict linear, int64_t n, const FtrlFactors<T>& k) {
  T before[kMost], after[kMost];
  for (int64_t i = 0; i < n; ++i) {
    w[i] *= k.keep;
    before[i] = sum[i];
    sum[i] += g[i] * g[i];
    after[i] = sum[i];
  }
  raise(before, n, k.power);
  raise(after, n, k.power);
  for (int64_t i = 0; i < n; ++i) {
    linear[i] += (g[i] + w[i] * k.shrinkage) - (after[i] - before[i]) / k.rate * w[i];
    const T clipped = std::min(std::max(linear[i], -k.l1), k.l1);
    w[i] = (clipped - linear[i]) / (after[i] / k.rate + k.damping);
  }
}

class FtrlOptimizer final : public FlatOptimizer {
 public:
  explicit FtrlOptimizer(const FtrlOptions& options)
      : FlatOptimizer(common_settings("Ftrl", "ftrl", options, {"accumulator", "linear"})), options_(options) {
    if (!(options.learning_rate_power <= 0) || !std::isfinite(options.learning_rate_power)) {
      throw InvalidArgument(
          c10::str("Ftrl: learning_rate_power must be a finite number <= 0, got ", options.learning_rate_power));
    }
    check_at_least_zero("Ftrl", "initial_accumulator_value", options.initial_accumulator_value);
    check_at_least_zero("Ftrl", "l1_regularization_strength", options.l1_regularization_strength);
    check_at_least_zero("Ftrl", "l2_regularization_strength", options.l2_regularization_strength);
    check_at_least_zero("Ftrl", "l2_shrinkage_regularization_strength", options.l2_shrinkage_regularization_strength);
    check_at_least_zero("Ftrl", "beta", options.beta);
  }

  double initial_slot(std::size_t slot) const override { return slot == 0 ? options_.initial_accumulator_value : 0; }
  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("learning_rate_power", options_.learning_rate_power);
    config.set("initial_accumulator_value", options_.initial_accumulator_value);
    config.set("l1_regularization_strength", options_.l1_regularization_strength);
    config.set("l2_regularization_strength", options_.l2_regularization_strength);
    config.set("l2_shrinkage_regularization_strength", options_.l2_shrinkage_regularization_strength);
    config.set("beta", options_.beta);
    return config;
  }

 private:
  template <class T>
  FtrlFactors<T> factors(const Step& step) const {
    const T rate = static_cast<T>(step.rate);
    const T l2 = static_cast<T>(options_.l2_regularization_strength) + static_cast<T>(options_.beta) / (2 * rate);
    return {rate,
            static_cast<T>(-options_.learning_rate_power),
            static_cast<T>(options_.l1_regularization_strength),
            static_cast<T>(2 * options_.l2_shrinkage_regularization_strength),
            2 * l2,
            static_cast<T>(step.keep)};
  }

  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    const FtrlFactors<T> k = factors<T>(step);
    T* const sum = e.slots[0];
    T* const linear = e.slots[1];
    for_each_strip(e.count, [&](int64_t i, int64_t n) {
      ftrl_strip<kStrip>(e.weight + i, e.gradient + i, sum + i, linear + i, n, k);
    });
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    const auto k = factors<double>(step);
    Tensor &sum = slots[0], &linear = slots[1];
    const Tensor before = sum.pow(k.power);
    sum.addcmul_(gradient, gradient);
    const Tensor after = sum.pow(k.power);
    linear.add_(gradient + parameter * k.shrinkage - (after - before) / k.rate * parameter);
    parameter.copy_((linear.clamp(-k.l1, k.l1) - linear) / (after / k.rate + k.damping));
  }

  FtrlOptions options_;
};

}  // namespace

Ftrl::Ftrl(FtrlOptions options) : Handle(around_rule(options, std::make_shared<FtrlOptimizer>(options))) {}

Ftrl Ftrl::from_config(const Config& config) {
  ConfigReader reader("Ftrl", config);
  FtrlOptions options;
  read_common(reader, options);
  reader.read("learning_rate_power", options.learning_rate_power)
      .read("initial_accumulator_value", options.initial_accumulator_value)
      .read("l1_regularization_strength", options.l1_regularization_strength)
      .read("l2_regularization_strength", options.l2_regularization_strength)
      .read("l2_shrinkage_regularization_strength", options.l2_shrinkage_regularization_strength)
      .read("beta", options.beta)
      .finish();
  return Ftrl(options);
}

}  // namespace tandem::optimizers

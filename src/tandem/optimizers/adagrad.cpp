#include "tandem/optimizers/adagrad.h"

#include <ATen/ATen.h>

#include "tandem/kernels/square_roots.h"
#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

/// n <= kMost elements in Keras's order of operations.
template <int64_t kMost, class T>
[[gnu::always_inline]] inline void adagrad_strip(T* __restrict w, const T* __restrict g, T* __restrict sum, int64_t n,
                                                 T rate, T keep, T epsilon) {
  T root[kMost];
  for (int64_t i = 0; i < n; ++i) {
    sum[i] += g[i] * g[i];
    root[i] = sum[i] + epsilon;
  }
  kernels::square_roots(root, n);
  for (int64_t i = 0; i < n; ++i) w[i] = w[i] * keep - g[i] * rate / root[i];
}

class AdagradOptimizer final : public FlatOptimizer {
 public:
  explicit AdagradOptimizer(const AdagradOptions& options)
      : FlatOptimizer(common_settings("Adagrad", "adagrad", options, {"accumulator"})), options_(options) {
    check_at_least_zero("Adagrad", "initial_accumulator_value", options.initial_accumulator_value);
    check_at_least_zero("Adagrad", "epsilon", options.epsilon);
  }

  double initial_slot(std::size_t /*slot*/) const override { return options_.initial_accumulator_value; }
  bool leaves_zero_gradients() const override {
    // 0 / 0 where nothing keeps the root from zero.
    return weight_decay() == 0 && static_cast<float>(options_.initial_accumulator_value + options_.epsilon) > 0;
  }
  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("initial_accumulator_value", options_.initial_accumulator_value);
    config.set("epsilon", options_.epsilon);
    return config;
  }

 private:
  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    const T rate = static_cast<T>(step.rate), keep = static_cast<T>(step.keep);
    const T epsilon = static_cast<T>(options_.epsilon);
    T* const sum = e.slots[0];
    for_each_strip(e.count, [&](int64_t i, int64_t n) {
      adagrad_strip<kStrip>(e.weight + i, e.gradient + i, sum + i, n, rate, keep, epsilon);
    });
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    slots[0].addcmul_(gradient, gradient);
    parameter.addcdiv_(gradient, (slots[0] + options_.epsilon).sqrt_(), -step.rate);
  }

  AdagradOptions options_;
};

}  // namespace

Adagrad::Adagrad(AdagradOptions options) : Handle(around_rule(options, std::make_shared<AdagradOptimizer>(options))) {}

Adagrad Adagrad::from_config(const Config& config) {
  ConfigReader reader("Adagrad", config);
  AdagradOptions options;
  read_common(reader, options);
  reader.read("initial_accumulator_value", options.initial_accumulator_value).read("epsilon", options.epsilon).finish();
  return Adagrad(options);
}

}  // namespace tandem::optimizers

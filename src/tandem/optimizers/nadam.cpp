#include "tandem/optimizers/nadam.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "tandem/kernels/square_roots.h"
#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

constexpr double kDecay = 0.96;
constexpr int64_t kGrowing = 1000;  // updates after which 1 - 0.96^t / 2 is 1 in double

/// What is the same for all elements of an update, in their type.
template <class T>
struct NadamFactors {
  T momentum, gradient;  // factors of m and g in the step, the rate among them
  T first, second;       // 1 - beta_1, 1 - beta_2
  T correction;          // 1 - beta_2^t
  T epsilon, keep;
};

/// n <= kMost elements in Keras's order of operations.
template <int64_t kMost, class T>
[[gnu::always_inline]] inline void nadam_strip(T* __restrict w, const T* __restrict g, T* __restrict m, T* __restrict v,
                                               int64_t n, const NadamFactors<T>& k) {
  T root[kMost];
  for (int64_t i = 0; i < n; ++i) {
    m[i] += (g[i] - m[i]) * k.first;
    v[i] += (g[i] * g[i] - v[i]) * k.second;
    root[i] = v[i] / k.correction;
  }
  kernels::square_roots(root, n);
  for (int64_t i = 0; i < n; ++i)
    w[i] = w[i] * k.keep - (m[i] * k.momentum + g[i] * k.gradient) / (root[i] + k.epsilon);
}

class NadamOptimizer final : public FlatOptimizer {
 public:
  explicit NadamOptimizer(const NadamOptions& options)
      : FlatOptimizer(common_settings("Nadam", "nadam", options, {"momentum", "velocity"})), options_(options) {
    check_below_one("Nadam", "beta_1", options.beta_1);
    check_below_one("Nadam", "beta_2", options.beta_2);
    check_at_least_zero("Nadam", "epsilon", options.epsilon);
    growth_.push_back(1);
    for (int64_t t = 1; t <= kGrowing; ++t)
      growth_.push_back(growth_.back() * (1 - 0.5 * std::pow(kDecay, static_cast<double>(t))));
  }

  // The product as Keras multiplies it up, in float32.
  std::vector<double> derived_values(int64_t updates) const override {
    float product = 1;
    for (int64_t t = 1; t <= updates && product > 0; ++t) {
      const float growth = 1 - 0.5F * std::pow(static_cast<float>(kDecay), static_cast<float>(t));
      product = product * static_cast<float>(options_.beta_1) * growth;
    }
    return {product};
  }
  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("beta_1", options_.beta_1);
    config.set("beta_2", options_.beta_2);
    config.set("epsilon", options_.epsilon);
    return config;
  }

 private:
  double share(int64_t t) const { return options_.beta_1 * (1 - 0.5 * std::pow(kDecay, static_cast<double>(t))); }
  double product(int64_t t) const {
    return std::pow(options_.beta_1, static_cast<double>(t)) * growth_[static_cast<std::size_t>(std::min(t, kGrowing))];
  }

  template <class T>
  NadamFactors<T> factors(const Step& step) const {
    const int64_t t = step.iteration + 1;
    return {static_cast<T>(step.rate * share(t + 1) / (1 - product(t + 1))),
            static_cast<T>(step.rate * (1 - share(t)) / (1 - product(t))),
            static_cast<T>(1 - options_.beta_1),
            static_cast<T>(1 - options_.beta_2),
            1 - std::pow(static_cast<T>(options_.beta_2), static_cast<T>(t)),
            static_cast<T>(options_.epsilon),
            static_cast<T>(step.keep)};
  }

  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    const NadamFactors<T> k = factors<T>(step);
    T* const m = e.slots[0];
    T* const v = e.slots[1];
    for_each_strip(
        e.count, [&](int64_t i, int64_t n) { nadam_strip<kStrip>(e.weight + i, e.gradient + i, m + i, v + i, n, k); });
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    const auto k = factors<double>(step);
    Tensor &m = slots[0], &v = slots[1];
    m.lerp_(gradient, k.first);
    v.lerp_(gradient.square(), k.second);
    parameter.addcdiv_(m * k.momentum + gradient * k.gradient, (v / k.correction).sqrt_().add_(k.epsilon), -1);
  }

  NadamOptions options_;
  std::vector<double> growth_;  // the product of 1 - 0.96^i / 2 for i = 1 ... t
};

}  // namespace

Nadam::Nadam(NadamOptions options) : Handle(around_rule(options, std::make_shared<NadamOptimizer>(options))) {}

Nadam Nadam::from_config(const Config& config) {
  ConfigReader reader("Nadam", config);
  NadamOptions options;
  read_common(reader, options);
  reader.read("beta_1", options.beta_1).read("beta_2", options.beta_2).read("epsilon", options.epsilon).finish();
  return Nadam(options);
}

}  // namespace tandem::optimizers

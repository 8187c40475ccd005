#include "tandem/optimizers/rmsprop.h"

#include <ATen/ATen.h>

#include "tandem/kernels/square_roots.h"
#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

template <class T>
struct RMSpropFactors {
  T rate, rho, rest, epsilon, keep, momentum;  // rest is 1 - rho
};

/// n <= kMost elements in Keras's order of operations; `m` is null without momentum, `average` when not
/// centered.
template <int64_t kMost, class T>
[[gnu::always_inline]] inline void rmsprop_strip(T* __restrict w, const T* __restrict g, T* __restrict v,
                                                 T* __restrict m, T* __restrict average, int64_t n,
                                                 const RMSpropFactors<T>& k) {
  T root[kMost];
  for (int64_t i = 0; i < n; ++i) {
    v[i] = v[i] * k.rho + g[i] * g[i] * k.rest;
    root[i] = v[i] + k.epsilon;
  }
  if (average) {
    for (int64_t i = 0; i < n; ++i) {
      average[i] = average[i] * k.rho + g[i] * k.rest;
      const T variance = v[i] - average[i] * average[i];
      root[i] = (variance < 0 ? 0 : variance) + k.epsilon;
    }
  }
  kernels::square_roots(root, n);
  if (m) {
    for (int64_t i = 0; i < n; ++i) {
      m[i] = m[i] * k.momentum + g[i] * k.rate / root[i];
      w[i] = w[i] * k.keep - m[i];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) w[i] = w[i] * k.keep - g[i] * k.rate / root[i];
  }
}

std::vector<std::string> rmsprop_slots(const RMSpropOptions& options) {
  std::vector<std::string> slots{"velocity"};
  if (options.momentum != 0) slots.emplace_back("momentum");
  if (options.centered) slots.emplace_back("average_gradient");
  return slots;
}

class RMSpropOptimizer final : public FlatOptimizer {
 public:
  explicit RMSpropOptimizer(const RMSpropOptions& options)
      : FlatOptimizer(common_settings("RMSprop", "rm_sprop", options, rmsprop_slots(options))), options_(options) {
    check_in_unit_interval("RMSprop", "rho", options.rho);
    check_in_unit_interval("RMSprop", "momentum", options.momentum);
    check_at_least_zero("RMSprop", "epsilon", options.epsilon);
  }

  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("rho", options_.rho);
    config.set("momentum", options_.momentum);
    config.set("epsilon", options_.epsilon);
    config.set("centered", options_.centered);
    return config;
  }

 private:
  bool has_momentum() const { return options_.momentum != 0; }
  std::size_t average_slot() const { return has_momentum() ? 2 : 1; }

  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    const RMSpropFactors<T> k{static_cast<T>(step.rate),        static_cast<T>(options_.rho),
                              static_cast<T>(1 - options_.rho), static_cast<T>(options_.epsilon),
                              static_cast<T>(step.keep),        static_cast<T>(options_.momentum)};
    T* const v = e.slots[0];
    T* const m = has_momentum() ? e.slots[1] : nullptr;
    T* const average = options_.centered ? e.slots[average_slot()] : nullptr;
    for_each_strip(e.count, [&](int64_t i, int64_t n) {
      rmsprop_strip<kStrip>(e.weight + i, e.gradient + i, v + i, m ? m + i : nullptr, average ? average + i : nullptr,
                            n, k);
    });
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    Tensor& v = slots[0];
    v.mul_(options_.rho).addcmul_(gradient, gradient, 1 - options_.rho);
    Tensor root = v;
    if (options_.centered) {
      Tensor& average = slots[average_slot()];
      average.mul_(options_.rho).add_(gradient, 1 - options_.rho);
      root = (v - average.square()).clamp_min_(0);
    }
    root = (root + options_.epsilon).sqrt_();
    if (has_momentum()) {
      slots[1].mul_(options_.momentum).addcdiv_(gradient, root, step.rate);
      parameter.sub_(slots[1]);
    } else {
      parameter.addcdiv_(gradient, root, -step.rate);
    }
  }

  RMSpropOptions options_;
};

}  // namespace

RMSprop::RMSprop(RMSpropOptions options) : Handle(around_rule(options, std::make_shared<RMSpropOptimizer>(options))) {}

RMSprop RMSprop::from_config(const Config& config) {
  ConfigReader reader("RMSprop", config);
  RMSpropOptions options;
  read_common(reader, options);
  reader.read("rho", options.rho)
      .read("momentum", options.momentum)
      .read("epsilon", options.epsilon)
      .read("centered", options.centered)
      .finish();
  return RMSprop(options);
}

}  // namespace tandem::optimizers

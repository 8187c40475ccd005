#include "tandem/optimizers/adadelta.h"

#include <ATen/ATen.h>

#include "tandem/kernels/square_roots.h"
#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

template <class T>
struct AdadeltaFactors {
  T rate, rho, rest, epsilon, keep;  // rest is 1 - rho
};

/// n <= kMost elements in Keras's order of operations.
template <int64_t kMost, class T>
[[gnu::always_inline]] inline void adadelta_strip(T* __restrict w, const T* __restrict g, T* __restrict v,
                                                  T* __restrict u, int64_t n, const AdadeltaFactors<T>& k) {
  T above[kMost], below[kMost];
  for (int64_t i = 0; i < n; ++i) {
    v[i] = v[i] * k.rho + g[i] * g[i] * k.rest;
    above[i] = u[i] + k.epsilon;
    below[i] = v[i] + k.epsilon;
  }
  kernels::square_roots(above, n);
  kernels::square_roots(below, n);
  for (int64_t i = 0; i < n; ++i) {
    const T step = above[i] * g[i] / below[i];
    u[i] = u[i] * k.rho + step * step * k.rest;
    w[i] = w[i] * k.keep - step * k.rate;
  }
}

class AdadeltaOptimizer final : public FlatOptimizer {
 public:
  explicit AdadeltaOptimizer(const AdadeltaOptions& options)
      : FlatOptimizer(common_settings("Adadelta", "adadelta", options, {"accumulated_grad", "accumulated_delta_var"})),
        options_(options) {
    check_in_unit_interval("Adadelta", "rho", options.rho);
    check_at_least_zero("Adadelta", "epsilon", options.epsilon);
  }

  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("rho", options_.rho);
    config.set("epsilon", options_.epsilon);
    return config;
  }

 private:
  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    const AdadeltaFactors<T> k{static_cast<T>(step.rate), static_cast<T>(options_.rho),
                               static_cast<T>(1 - options_.rho), static_cast<T>(options_.epsilon),
                               static_cast<T>(step.keep)};
    T* const v = e.slots[0];
    T* const u = e.slots[1];
    for_each_strip(e.count, [&](int64_t i, int64_t n) {
      adadelta_strip<kStrip>(e.weight + i, e.gradient + i, v + i, u + i, n, k);
    });
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    Tensor &v = slots[0], &u = slots[1];
    v.mul_(options_.rho).addcmul_(gradient, gradient, 1 - options_.rho);
    const Tensor change = (u + options_.epsilon).sqrt_().mul_(gradient).div_((v + options_.epsilon).sqrt_());
    u.mul_(options_.rho).addcmul_(change, change, 1 - options_.rho);
    parameter.sub_(change, step.rate);
  }

  AdadeltaOptions options_;
};

}  // namespace

Adadelta::Adadelta(AdadeltaOptions options)
    : Handle(around_rule(options, std::make_shared<AdadeltaOptimizer>(options))) {}

Adadelta Adadelta::from_config(const Config& config) {
  ConfigReader reader("Adadelta", config);
  AdadeltaOptions options;
  read_common(reader, options);
  reader.read("rho", options.rho).read("epsilon", options.epsilon).finish();
  return Adadelta(options);
}

}  // namespace tandem::optimizers

#include "tandem/optimizers/sgd.h"

#include <ATen/ATen.h>

#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/flat_optimizer.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

// The rules on n elements, in Keras's order of operations. `keep` is 1 - weight_decay * rate.
template <class T>
void plain_steps(T* __restrict w, const T* __restrict g, int64_t n, T rate, T keep) {
  for (int64_t i = 0; i < n; ++i) w[i] = w[i] * keep - g[i] * rate;
}

template <class T>
void momentum_steps(T* __restrict w, const T* __restrict g, T* __restrict m, int64_t n, T rate, T keep, T momentum) {
  for (int64_t i = 0; i < n; ++i) {
    const T step = m[i] * momentum - g[i] * rate;
    m[i] = step;
    w[i] = w[i] * keep + step;
  }
}

template <class T>
void nesterov_steps(T* __restrict w, const T* __restrict g, T* __restrict m, int64_t n, T rate, T keep, T momentum) {
  for (int64_t i = 0; i < n; ++i) {
    const T step = m[i] * momentum - g[i] * rate;
    m[i] = step;
    w[i] = w[i] * keep + (step * momentum - g[i] * rate);
  }
}

class SGDOptimizer final : public FlatOptimizer {
 public:
  explicit SGDOptimizer(const SGDOptions& options)
      : FlatOptimizer(
            common_settings("SGD", "sgd", options,
                            options.momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{"momentum"})),
        options_(options) {
    check_in_unit_interval("SGD", "momentum", options.momentum);
  }

  bool leaves_zero_gradients() const override { return options_.momentum == 0 && weight_decay() == 0; }
  Config get_config() const override {
    Config config = FlatOptimizer::get_config();
    config.set("momentum", options_.momentum);
    config.set("nesterov", options_.nesterov);
    return config;
  }

 private:
  void apply(const Step& step, const Elements<float>& elements) const override { apply_flat(step, elements); }
  void apply(const Step& step, const Elements<double>& elements) const override { apply_flat(step, elements); }

  template <class T>
  void apply_flat(const Step& step, const Elements<T>& e) const {
    const T momentum = static_cast<T>(options_.momentum), rate = static_cast<T>(step.rate);
    const T keep = static_cast<T>(step.keep);
    if (options_.momentum == 0) {
      plain_steps(e.weight, e.gradient, e.count, rate, keep);
    } else if (options_.nesterov) {
      nesterov_steps(e.weight, e.gradient, e.slots[0], e.count, rate, keep, momentum);
    } else {
      momentum_steps(e.weight, e.gradient, e.slots[0], e.count, rate, keep, momentum);
    }
  }

  void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const override {
    if (options_.momentum == 0) {
      parameter.sub_(gradient, step.rate);
      return;
    }
    Tensor& m = slots[0];
    m.mul_(options_.momentum).sub_(gradient, step.rate);
    parameter.add_(options_.nesterov ? (m * options_.momentum).sub_(gradient, step.rate) : m);
  }

  SGDOptions options_;
};

}  // namespace

SGD::SGD(SGDOptions options) : Handle(around_rule(options, std::make_shared<SGDOptimizer>(options))) {}

SGD SGD::from_config(const Config& config) {
  ConfigReader reader("SGD", config);
  SGDOptions options;
  read_common(reader, options);
  reader.read("momentum", options.momentum).read("nesterov", options.nesterov).finish();
  return SGD(options);
}

}  // namespace tandem::optimizers

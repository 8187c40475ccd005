#include "tandem/optimizers/sgd.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/optimizers/flat_view.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {
namespace {

// Elements that one thread takes at least: below, starting threads costs more than it saves.
constexpr int64_t kSgdGrain = 32768;

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

class SGDOptimizer final : public Optimizer {
 public:
  explicit SGDOptimizer(const SGDOptions& options) : Optimizer(options.learning_rate), options_(options) {
    check_learning_rate("SGD", options.learning_rate);
    check_in_unit_interval("SGD", "momentum", options.momentum);
    check_at_least_zero("SGD", "weight_decay", options.weight_decay);
  }

  std::vector<std::string> slots() const override {
    return options_.momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{"momentum"};
  }

  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t /*iteration*/,
              double rate) const override {
    if (slots.size() != (options_.momentum == 0 ? 0u : 1u)) {
      throw InternalError(c10::str("SGD: must be given the slots that it names, got ", slots.size()));
    }
    const Tensor& velocity = options_.momentum == 0 ? parameter : slots[0];
    check_same_count({&parameter, &gradient, &velocity}, "SGD");
    if (same_flat_memory({&parameter, &gradient, &velocity}, at::kFloat)) {
      update_flat<float>(parameter, gradient, velocity, rate);
    } else if (same_flat_memory({&parameter, &gradient, &velocity}, at::kDouble)) {
      update_flat<double>(parameter, gradient, velocity, rate);
    } else {
      update_tensors(parameter, gradient.to(parameter.scalar_type()), velocity, rate);
    }
  }

  std::string class_name() const override { return "SGD"; }
  Config get_config() const override {
    Config config = optimizer_config("sgd", this->rate(), options_.weight_decay);
    config.set("momentum", options_.momentum);
    config.set("nesterov", options_.nesterov);
    return config;
  }

 private:
  template <class T>
  void update_flat(const Tensor& parameter, const Tensor& gradient, const Tensor& velocity, double rate) const {
    T* w = parameter.mutable_data_ptr<T>();
    const T* g = gradient.const_data_ptr<T>();
    const T momentum = static_cast<T>(options_.momentum), step_rate = static_cast<T>(rate);
    const T keep = static_cast<T>(1 - options_.weight_decay * rate);
    T* m = momentum == 0 ? nullptr : velocity.mutable_data_ptr<T>();
    at::parallel_for(0, parameter.numel(), kSgdGrain, [&](int64_t begin, int64_t end) {
      const int64_t n = end - begin;
      if (!m) {
        plain_steps(w + begin, g + begin, n, step_rate, keep);
      } else if (options_.nesterov) {
        nesterov_steps(w + begin, g + begin, m + begin, n, step_rate, keep, momentum);
      } else {
        momentum_steps(w + begin, g + begin, m + begin, n, step_rate, keep, momentum);
      }
    });
  }

  /// The same by tensor operations: other devices, types and memory orders.
  void update_tensors(Tensor& parameter, const Tensor& gradient, Tensor velocity, double rate) const {
    const c10::AutoGradMode no_gradient(false);
    const Tensor g = gradient.reshape(parameter.sizes());
    if (options_.weight_decay != 0) parameter.mul_(1 - options_.weight_decay * rate);
    if (options_.momentum == 0) {
      parameter.sub_(g, rate);
      return;
    }
    velocity.mul_(options_.momentum).sub_(g.view_as(velocity), rate);
    const Tensor m = velocity.view_as(parameter);
    parameter.add_(options_.nesterov ? (m * options_.momentum).sub_(g, rate) : m);
  }

  SGDOptions options_;
};

}  // namespace

SGD::SGD(SGDOptions options) : Handle(std::make_shared<SGDOptimizer>(options)) {}

}  // namespace tandem::optimizers

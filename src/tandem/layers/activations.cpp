#include "tandem/layers/activations.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <tuple>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::activations {

Tensor linear(const Tensor& x) { return x; }

Tensor relu(const Tensor& x, double negative_slope, std::optional<double> max_value, double threshold) {
  if (!max_value && threshold == 0) return negative_slope == 0 ? at::relu(x) : at::leaky_relu(x, negative_slope);
  Tensor above = threshold == 0 ? at::relu(x) : at::threshold(x, threshold, 0);
  // Cut off at 0 as well, for a threshold below it.
  if (max_value) above = above.clamp(0, *max_value);
  return negative_slope == 0 ? above : above - at::relu(threshold - x) * negative_slope;
}

Tensor relu6(const Tensor& x) { return at::relu6(x); }
Tensor leaky_relu(const Tensor& x, double negative_slope) { return at::leaky_relu(x, negative_slope); }
Tensor elu(const Tensor& x, double alpha) { return at::elu(x, alpha); }
Tensor selu(const Tensor& x) { return at::selu(x); }
Tensor celu(const Tensor& x, double alpha) { return at::celu(x, alpha); }
Tensor gelu(const Tensor& x, bool approximate) { return at::gelu(x, approximate ? "tanh" : "none"); }
Tensor silu(const Tensor& x) { return at::silu(x); }
Tensor mish(const Tensor& x) { return at::mish(x); }

Tensor glu(const Tensor& x, int64_t axis) {
  if (x.size(axis) % 2 != 0) {
    throw InvalidArgument(c10::str("activation 'glu': axis ", axis, " must be even, got ", Shape::of(x.sizes().vec())));
  }
  return at::glu(x, axis);
}

Tensor sigmoid(const Tensor& x) { return at::sigmoid(x); }
Tensor log_sigmoid(const Tensor& x) { return at::log_sigmoid(x); }
Tensor hard_sigmoid(const Tensor& x) { return at::hardsigmoid(x); }
Tensor hard_silu(const Tensor& x) { return at::hardswish(x); }
Tensor sparse_sigmoid(const Tensor& x) { return at::hardtanh(x).add(1).mul(0.5); }
Tensor tanh(const Tensor& x) { return at::tanh(x); }
Tensor hard_tanh(const Tensor& x) { return at::hardtanh(x); }
Tensor tanh_shrink(const Tensor& x) { return x - at::tanh(x); }
Tensor soft_shrink(const Tensor& x, double threshold) { return at::softshrink(x, threshold); }
Tensor hard_shrink(const Tensor& x, double threshold) { return at::hardshrink(x, threshold); }
Tensor threshold(const Tensor& x, double threshold, double default_value) {
  return at::threshold(x, threshold, default_value);
}
Tensor softplus(const Tensor& x) { return at::softplus(x); }

Tensor sparse_plus(const Tensor& x) {
  // 0 up to -1, (x + 1)^2 / 4 up to 1, x from there on.
  return at::where(x < 1, at::relu(x + 1).square() / 4, x);
}

Tensor squareplus(const Tensor& x, double b) { return (x + at::sqrt(x.square() + b)) / 2; }
Tensor softsign(const Tensor& x) { return x / (x.abs() + 1); }
Tensor exponential(const Tensor& x) { return at::exp(x); }
Tensor softmax(const Tensor& x, int64_t axis) { return at::softmax(x, axis); }
Tensor log_softmax(const Tensor& x, int64_t axis) { return at::log_softmax(x, axis); }

Tensor sparsemax(const Tensor& x, int64_t axis) {
  const Tensor sorted = std::get<0>(at::sort(x, axis, /*descending=*/true));
  const Tensor sums = at::cumsum(sorted, axis);
  auto broadcast = std::vector<int64_t>(static_cast<std::size_t>(x.dim()), 1);
  broadcast[static_cast<std::size_t>(axis < 0 ? axis + x.dim() : axis)] = x.size(axis);
  const Tensor rank = at::arange(1, x.size(axis) + 1, x.options().requires_grad(false)).view(broadcast);
  const Tensor support = sorted * rank > sums - 1;
  // The projection's threshold is (sums[k - 1] - 1) / k for a support of k values. Keras takes the total of sums[0] to
  // sums[k - 1] in its place, and so do we: a model must give the same numbers here and there.
  const Tensor tau = (at::where(support, sums, 0.0).sum(axis, true) - 1) / support.sum(axis, true);
  return at::relu(x - tau);
}

const Catalog<Tensor (*)(const Tensor&)>& catalog() {
  // Lambdas where the function has arguments with defaults.
  static const Catalog<Tensor (*)(const Tensor&)> table(
      "activation", {
                        {"linear", linear},
                        {"relu", [](const Tensor& x) { return activations::relu(x); }},
                        {"softmax", [](const Tensor& x) { return activations::softmax(x); }},
                        {"sigmoid", sigmoid},
                        {"tanh", tanh},
                        {"relu6", relu6},
                        {"leaky_relu", [](const Tensor& x) { return activations::leaky_relu(x); }},
                        {"elu", [](const Tensor& x) { return activations::elu(x); }},
                        {"selu", selu},
                        {"celu", [](const Tensor& x) { return activations::celu(x); }},
                        {"gelu", [](const Tensor& x) { return activations::gelu(x); }},
                        {"silu", silu},
                        {"swish", silu},
                        {"mish", mish},
                        {"glu", [](const Tensor& x) { return activations::glu(x); }},
                        {"log_sigmoid", log_sigmoid},
                        {"hard_sigmoid", hard_sigmoid},
                        {"hard_silu", hard_silu},
                        {"hard_swish", hard_silu},
                        {"sparse_sigmoid", sparse_sigmoid},
                        {"hard_tanh", hard_tanh},
                        {"tanh_shrink", tanh_shrink},
                        {"soft_shrink", [](const Tensor& x) { return activations::soft_shrink(x); }},
                        {"hard_shrink", [](const Tensor& x) { return activations::hard_shrink(x); }},
                        {"softplus", softplus},
                        {"sparse_plus", sparse_plus},
                        {"squareplus", [](const Tensor& x) { return activations::squareplus(x); }},
                        {"softsign", softsign},
                        {"exponential", exponential},
                        {"log_softmax", [](const Tensor& x) { return activations::log_softmax(x); }},
                        {"sparsemax", [](const Tensor& x) { return activations::sparsemax(x); }},
                    });
  return table;
}

}  // namespace tandem::activations

#include "tandem/layers/activations.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <tuple>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::activations {

Tensor linear(const Tensor& x) { return x; }
Tensor relu(const Tensor& x) { return at::relu(x); }
Tensor relu6(const Tensor& x) { return at::relu6(x); }
Tensor leaky_relu(const Tensor& x) { return at::leaky_relu(x, 0.2); }
Tensor elu(const Tensor& x) { return at::elu(x); }
Tensor selu(const Tensor& x) { return at::selu(x); }
Tensor celu(const Tensor& x) { return at::celu(x); }
Tensor gelu(const Tensor& x) { return at::gelu(x); }
Tensor silu(const Tensor& x) { return at::silu(x); }
Tensor mish(const Tensor& x) { return at::mish(x); }

Tensor glu(const Tensor& x) {
  if (x.size(-1) % 2 != 0) {
    throw InvalidArgument(c10::str("activation 'glu': the last axis must be even, got ", Shape::of(x.sizes().vec())));
  }
  return at::glu(x);
}

Tensor sigmoid(const Tensor& x) { return at::sigmoid(x); }
Tensor log_sigmoid(const Tensor& x) { return at::log_sigmoid(x); }
Tensor hard_sigmoid(const Tensor& x) { return at::hardsigmoid(x); }
Tensor hard_silu(const Tensor& x) { return at::hardswish(x); }
Tensor sparse_sigmoid(const Tensor& x) { return at::hardtanh(x).add(1).mul(0.5); }
Tensor tanh(const Tensor& x) { return at::tanh(x); }
Tensor hard_tanh(const Tensor& x) { return at::hardtanh(x); }
Tensor tanh_shrink(const Tensor& x) { return x - at::tanh(x); }
Tensor soft_shrink(const Tensor& x) { return at::softshrink(x, 0.5); }
Tensor hard_shrink(const Tensor& x) { return at::hardshrink(x, 0.5); }
Tensor softplus(const Tensor& x) { return at::softplus(x); }

Tensor sparse_plus(const Tensor& x) {
  // 0 up to -1, (x + 1)^2 / 4 up to 1, x from there on.
  return at::where(x < 1, at::relu(x + 1).square() / 4, x);
}

Tensor squareplus(const Tensor& x) { return (x + at::sqrt(x.square() + 4)) / 2; }
Tensor softsign(const Tensor& x) { return x / (x.abs() + 1); }
Tensor exponential(const Tensor& x) { return at::exp(x); }
Tensor softmax(const Tensor& x) { return at::softmax(x, -1); }
Tensor log_softmax(const Tensor& x) { return at::log_softmax(x, -1); }

Tensor sparsemax(const Tensor& x) {
  // The k largest values that stay above the threshold tau; tau makes what is left sum to 1.
  const Tensor sorted = std::get<0>(at::sort(x, -1, true));
  const Tensor sums = at::cumsum(sorted, -1) - 1;
  const Tensor rank = at::arange(1, x.size(-1) + 1, x.options().requires_grad(false));
  const Tensor support = (sorted * rank > sums).sum(-1, true);
  const Tensor tau = sums.gather(-1, support - 1) / support;
  return at::relu(x - tau);
}

const Catalog<Tensor (*)(const Tensor&)>& catalog() {
  static const Catalog<Tensor (*)(const Tensor&)> table("activation", {
                                                                          {"linear", linear},
                                                                          {"relu", relu},
                                                                          {"softmax", softmax},
                                                                          {"sigmoid", sigmoid},
                                                                          {"tanh", tanh},
                                                                          {"relu6", relu6},
                                                                          {"leaky_relu", leaky_relu},
                                                                          {"elu", elu},
                                                                          {"selu", selu},
                                                                          {"celu", celu},
                                                                          {"gelu", gelu},
                                                                          {"silu", silu},
                                                                          {"swish", silu},
                                                                          {"mish", mish},
                                                                          {"glu", glu},
                                                                          {"log_sigmoid", log_sigmoid},
                                                                          {"hard_sigmoid", hard_sigmoid},
                                                                          {"hard_silu", hard_silu},
                                                                          {"hard_swish", hard_silu},
                                                                          {"sparse_sigmoid", sparse_sigmoid},
                                                                          {"hard_tanh", hard_tanh},
                                                                          {"tanh_shrink", tanh_shrink},
                                                                          {"soft_shrink", soft_shrink},
                                                                          {"hard_shrink", hard_shrink},
                                                                          {"softplus", softplus},
                                                                          {"sparse_plus", sparse_plus},
                                                                          {"squareplus", squareplus},
                                                                          {"softsign", softsign},
                                                                          {"exponential", exponential},
                                                                          {"log_softmax", log_softmax},
                                                                          {"sparsemax", sparsemax},
                                                                      });
  return table;
}

}  // namespace tandem::activations

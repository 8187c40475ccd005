#pragma once
#include <cstdint>
#include <optional>

#include "tandem/core/catalog.h"
#include "tandem/core/tensor.h"

/// Keras's activation functions with Keras's arguments and defaults (keras.activations); by name they have the
/// defaults. Each returns a new tensor of the shape of x (glu: half the axis) and leaves x as it is.
namespace tandem::activations {

Tensor linear(const Tensor& x);
/// x from `threshold` on, at most max_value where one is given; below, negative_slope * (x - threshold).
Tensor relu(const Tensor& x, double negative_slope = 0, std::optional<double> max_value = {}, double threshold = 0);
Tensor relu6(const Tensor& x);
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
Tensor elu(const Tensor& x, double alpha = 1);
Tensor selu(const Tensor& x);
Tensor celu(const Tensor& x, double alpha = 1);
/// The exact one, by the error function, or the approximation by tanh.
Tensor gelu(const Tensor& x, bool approximate = false);
/// x * sigmoid(x); also "swish".
Tensor silu(const Tensor& x);
Tensor mish(const Tensor& x);
/// a * sigmoid(b), a and b the halves of the axis. Throws InvalidArgument when that axis is odd.
Tensor glu(const Tensor& x, int64_t axis = -1);
Tensor sigmoid(const Tensor& x);
Tensor log_sigmoid(const Tensor& x);
/// relu6(x + 3) / 6.
Tensor hard_sigmoid(const Tensor& x);
/// x * hard_sigmoid(x); also "hard_swish".
Tensor hard_silu(const Tensor& x);
/// 0 up to -1, 1 from 1 on, a straight line between.
Tensor sparse_sigmoid(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor hard_tanh(const Tensor& x);
/// x - tanh(x).
Tensor tanh_shrink(const Tensor& x);
/// Moves x by the threshold towards 0, where it stays.
Tensor soft_shrink(const Tensor& x, double threshold = 0.5);
/// x where |x| is above the threshold, else 0.
Tensor hard_shrink(const Tensor& x, double threshold = 0.5);
/// x above the threshold, else default_value. Has no defaults, and so no name.
Tensor threshold(const Tensor& x, double threshold, double default_value);
Tensor softplus(const Tensor& x);
Tensor sparse_plus(const Tensor& x);
/// (x + sqrt(x^2 + b)) / 2.
Tensor squareplus(const Tensor& x, double b = 4);
Tensor softsign(const Tensor& x);
Tensor exponential(const Tensor& x);
Tensor softmax(const Tensor& x, int64_t axis = -1);
Tensor log_softmax(const Tensor& x, int64_t axis = -1);
/// Over the axis, as Keras 3.15 computes it on TensorFlow: the projection on the simplex (Martins and Astudillo 2016)
/// where one value remains above 0; where several would, Keras subtracts more than the paper, and the sum is not 1.
Tensor sparsemax(const Tensor& x, int64_t axis = -1);

/// Every function that has a name, by Keras's.
const Catalog<Tensor (*)(const Tensor&)>& catalog();

}  // namespace tandem::activations

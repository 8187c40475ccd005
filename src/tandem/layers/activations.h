#pragma once
#include "tandem/core/catalog.h"
#include "tandem/core/tensor.h"

/// Keras's activation functions with Keras's default arguments (keras.activations). Each returns a new tensor of the
/// shape of x (glu: half the last axis) and leaves x as it is; "last axis" is the channels.
namespace tandem::activations {

Tensor linear(const Tensor& x);
Tensor relu(const Tensor& x);
Tensor relu6(const Tensor& x);
/// Slope 0.2 below zero.
Tensor leaky_relu(const Tensor& x);
Tensor elu(const Tensor& x);
Tensor selu(const Tensor& x);
Tensor celu(const Tensor& x);
/// The exact one, by the error function.
Tensor gelu(const Tensor& x);
/// x * sigmoid(x); also "swish".
Tensor silu(const Tensor& x);
Tensor mish(const Tensor& x);
/// a * sigmoid(b), a and b the halves of the last axis. Throws InvalidArgument when that axis is odd.
Tensor glu(const Tensor& x);
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
Tensor soft_shrink(const Tensor& x);
Tensor hard_shrink(const Tensor& x);
Tensor softplus(const Tensor& x);
Tensor sparse_plus(const Tensor& x);
/// (x + sqrt(x^2 + 4)) / 2.
Tensor squareplus(const Tensor& x);
Tensor softsign(const Tensor& x);
Tensor exponential(const Tensor& x);
/// Over the last axis.
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);
/// Euclidean projection on the simplex over the last axis (Martins and Astudillo 2016).
Tensor sparsemax(const Tensor& x);

/// Every function by Keras's name.
const Catalog<Tensor (*)(const Tensor&)>& catalog();

}  // namespace tandem::activations

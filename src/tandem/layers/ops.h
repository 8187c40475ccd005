#pragma once
#include <optional>
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/layers/axes.h"
#include "tandem/layers/operators.h"

/// Functions of KerasTensors, as keras.ops on them: each makes an operation in the graph, which is saved as Keras saves
/// it. Defaults and meanings are Keras's.
namespace tandem::ops {

KerasTensor absolute(const KerasTensor& x);
KerasTensor exp(const KerasTensor& x);
KerasTensor log(const KerasTensor& x);
KerasTensor sqrt(const KerasTensor& x);
KerasTensor square(const KerasTensor& x);
KerasTensor sin(const KerasTensor& x);
KerasTensor cos(const KerasTensor& x);
KerasTensor tanh(const KerasTensor& x);
KerasTensor clip(const KerasTensor& x, double x_min, double x_max);

KerasTensor power(const Operand& x1, const Operand& x2);
KerasTensor maximum(const Operand& x1, const Operand& x2);
KerasTensor minimum(const Operand& x1, const Operand& x2);
KerasTensor floor_divide(const Operand& x1, const Operand& x2);
KerasTensor mod(const Operand& x1, const Operand& x2);
KerasTensor equal(const Operand& x1, const Operand& x2);
KerasTensor not_equal(const Operand& x1, const Operand& x2);
KerasTensor matmul(const KerasTensor& x1, const KerasTensor& x2);

/// Over all axes, the batch's too, unless `axis` says which.
KerasTensor mean(const KerasTensor& x, const std::optional<Axes>& axis = {}, bool keepdims = false);
KerasTensor sum(const KerasTensor& x, const std::optional<Axes>& axis = {}, bool keepdims = false);
KerasTensor max(const KerasTensor& x, const std::optional<Axes>& axis = {}, bool keepdims = false);
KerasTensor min(const KerasTensor& x, const std::optional<Axes>& axis = {}, bool keepdims = false);
KerasTensor var(const KerasTensor& x, const std::optional<Axes>& axis = {},
                bool keepdims = false);  // over n, not n - 1
KerasTensor std(const KerasTensor& x, const std::optional<Axes>& axis = {}, bool keepdims = false);

KerasTensor concatenate(const KerasTensors& xs, int64_t axis = 0);
KerasTensor stack(const KerasTensors& xs, int64_t axis = 0);
/// -1 stands for the size that is left over.
KerasTensor reshape(const KerasTensor& x, const Shape& newshape);
KerasTensor transpose(const KerasTensor& x, const std::vector<int64_t>& axes);
KerasTensor expand_dims(const KerasTensor& x, const Axes& axis);
KerasTensor squeeze(const KerasTensor& x, const Axes& axis);

KerasTensor relu(const KerasTensor& x);
KerasTensor relu6(const KerasTensor& x);
KerasTensor sigmoid(const KerasTensor& x);
KerasTensor log_sigmoid(const KerasTensor& x);
KerasTensor hard_sigmoid(const KerasTensor& x);
KerasTensor silu(const KerasTensor& x);
KerasTensor selu(const KerasTensor& x);
KerasTensor softplus(const KerasTensor& x);
KerasTensor softsign(const KerasTensor& x);
KerasTensor leaky_relu(const KerasTensor& x, double negative_slope = 0.2);
KerasTensor elu(const KerasTensor& x, double alpha = 1);
KerasTensor gelu(const KerasTensor& x, bool approximate = true);
KerasTensor softmax(const KerasTensor& x, int64_t axis = -1);
KerasTensor log_softmax(const KerasTensor& x, int64_t axis = -1);

}  // namespace tandem::ops

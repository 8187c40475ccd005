#include "tandem/layers/ops.h"

#include "tandem/layers/operation.h"

namespace tandem::ops {
namespace {

KerasTensor of_one(const char* class_name, const KerasTensor& x, const Config& settings = Config::object()) {
  return add_operation(class_name, settings, x, {CallArguments::tensor(0)});
}

KerasTensor over(const char* class_name, const KerasTensor& x, const std::optional<Axes>& axis, bool keepdims) {
  return of_one(class_name, x, Config::object({{"axis", axis ? axis->to_config() : Config()}, {"keepdims", keepdims}}));
}

KerasTensor of_list(const char* class_name, const KerasTensors& xs, int64_t axis) {
  Config::List operands;
  for (int64_t i = 0; i < xs.size(); ++i) operands.push_back(CallArguments::tensor(i));
  return add_operation(class_name, Config::object({{"axis", axis}}), xs, {Config(std::move(operands))});
}

}  // namespace

KerasTensor absolute(const KerasTensor& x) { return of_one("Absolute", x); }
KerasTensor exp(const KerasTensor& x) { return of_one("Exp", x); }
KerasTensor log(const KerasTensor& x) { return of_one("Log", x); }
KerasTensor sqrt(const KerasTensor& x) { return of_one("Sqrt", x); }
KerasTensor square(const KerasTensor& x) { return of_one("Square", x); }
KerasTensor sin(const KerasTensor& x) { return of_one("Sin", x); }
KerasTensor cos(const KerasTensor& x) { return of_one("Cos", x); }
KerasTensor tanh(const KerasTensor& x) { return of_one("Tanh", x); }

KerasTensor clip(const KerasTensor& x, double x_min, double x_max) {
  return of_one("Clip", x, Config::object({{"x_min", x_min}, {"x_max", x_max}}));
}

KerasTensor power(const Operand& x1, const Operand& x2) { return binary_operation("Power", x1, x2); }
KerasTensor maximum(const Operand& x1, const Operand& x2) { return binary_operation("Maximum", x1, x2); }
KerasTensor minimum(const Operand& x1, const Operand& x2) { return binary_operation("Minimum", x1, x2); }
KerasTensor floor_divide(const Operand& x1, const Operand& x2) { return binary_operation("FloorDivide", x1, x2); }
KerasTensor mod(const Operand& x1, const Operand& x2) { return binary_operation("Mod", x1, x2); }
KerasTensor equal(const Operand& x1, const Operand& x2) { return binary_operation("Equal", x1, x2); }
KerasTensor not_equal(const Operand& x1, const Operand& x2) { return binary_operation("NotEqual", x1, x2); }
KerasTensor matmul(const KerasTensor& x1, const KerasTensor& x2) { return binary_operation("Matmul", x1, x2); }

KerasTensor mean(const KerasTensor& x, const std::optional<Axes>& axis, bool keepdims) {
  return over("Mean", x, axis, keepdims);
}
KerasTensor sum(const KerasTensor& x, const std::optional<Axes>& axis, bool keepdims) {
  return over("Sum", x, axis, keepdims);
}
KerasTensor max(const KerasTensor& x, const std::optional<Axes>& axis, bool keepdims) {
  return over("Max", x, axis, keepdims);
}
KerasTensor min(const KerasTensor& x, const std::optional<Axes>& axis, bool keepdims) {
  return over("Min", x, axis, keepdims);
}
KerasTensor var(const KerasTensor& x, const std::optional<Axes>& axis, bool keepdims) {
  return over("Var", x, axis, keepdims);
}
KerasTensor std(const KerasTensor& x, const std::optional<Axes>& axis, bool keepdims) {
  return over("Std", x, axis, keepdims);
}

KerasTensor concatenate(const KerasTensors& xs, int64_t axis) { return of_list("Concatenate", xs, axis); }
KerasTensor stack(const KerasTensors& xs, int64_t axis) { return of_list("Stack", xs, axis); }

KerasTensor reshape(const KerasTensor& x, const Shape& newshape) {
  return of_one("Reshape", x, Config::object({{"newshape", Config::list(newshape.sizes())}}));
}
KerasTensor transpose(const KerasTensor& x, const std::vector<int64_t>& axes) {
  return of_one("Transpose", x, Config::object({{"axes", Config::list(axes)}}));
}
KerasTensor expand_dims(const KerasTensor& x, const Axes& axis) {
  return of_one("ExpandDims", x, Config::object({{"axis", axis.to_config()}}));
}
KerasTensor squeeze(const KerasTensor& x, const Axes& axis) {
  return of_one("Squeeze", x, Config::object({{"axis", axis.to_config()}}));
}

KerasTensor relu(const KerasTensor& x) { return of_one("Relu", x); }
KerasTensor relu6(const KerasTensor& x) { return of_one("Relu6", x); }
KerasTensor sigmoid(const KerasTensor& x) { return of_one("Sigmoid", x); }
KerasTensor log_sigmoid(const KerasTensor& x) { return of_one("LogSigmoid", x); }
KerasTensor hard_sigmoid(const KerasTensor& x) { return of_one("HardSigmoid", x); }
KerasTensor silu(const KerasTensor& x) { return of_one("Silu", x); }
KerasTensor selu(const KerasTensor& x) { return of_one("Selu", x); }
KerasTensor softplus(const KerasTensor& x) { return of_one("Softplus", x); }
KerasTensor softsign(const KerasTensor& x) { return of_one("Softsign", x); }

KerasTensor leaky_relu(const KerasTensor& x, double negative_slope) {
  return of_one("LeakyRelu", x, Config::object({{"negative_slope", negative_slope}}));
}
KerasTensor elu(const KerasTensor& x, double alpha) { return of_one("Elu", x, Config::object({{"alpha", alpha}})); }
KerasTensor gelu(const KerasTensor& x, bool approximate) {
  return of_one("Gelu", x, Config::object({{"approximate", approximate}}));
}
KerasTensor softmax(const KerasTensor& x, int64_t axis) {
  return of_one("Softmax", x, Config::object({{"axis", axis}}));
}
KerasTensor log_softmax(const KerasTensor& x, int64_t axis) {
  return of_one("LogSoftmax", x, Config::object({{"axis", axis}}));
}

}  // namespace tandem::ops

#pragma once
#include <concepts>
#include <string>

#include "tandem/core/config.h"
#include "tandem/layers/keras_tensor.h"

/// Arithmetic between KerasTensors and numbers, as between Keras's: `x * 2 + y`. Each makes an operation of its own in
/// the graph, which is saved as Keras saves it. Shapes broadcast. `==` compares which tensor it is; ops::equal compares
/// values. Throw InvalidArgument naming the shapes where operands do not fit.
namespace tandem {

template <class N>
concept OperandNumber = std::integral<N> || std::floating_point<N>;

/// One side of an operator: a tensor, or a number.
class Operand {
 public:
  Operand(const KerasTensor& tensor) : tensor_(tensor) {}
  template <OperandNumber N>
  Operand(N number) {
    if constexpr (std::integral<N>) {
      number_ = static_cast<int64_t>(number);
    } else {
      number_ = static_cast<double>(number);
    }
  }
  const KerasTensor& tensor() const { return tensor_; }  // empty: a number
  const Config& number() const { return number_; }

 private:
  KerasTensor tensor_;
  Config number_;
};

/// `class_name` is Keras's: "Add". At least one of the operands is a tensor.
KerasTensor binary_operation(const std::string& class_name, const Operand& a, const Operand& b);

inline KerasTensor operator+(const KerasTensor& a, const Operand& b) { return binary_operation("Add", a, b); }
inline KerasTensor operator-(const KerasTensor& a, const Operand& b) { return binary_operation("Subtract", a, b); }
inline KerasTensor operator*(const KerasTensor& a, const Operand& b) { return binary_operation("Multiply", a, b); }
inline KerasTensor operator/(const KerasTensor& a, const Operand& b) { return binary_operation("TrueDivide", a, b); }
inline KerasTensor operator<(const KerasTensor& a, const Operand& b) { return binary_operation("Less", a, b); }
inline KerasTensor operator<=(const KerasTensor& a, const Operand& b) { return binary_operation("LessEqual", a, b); }
inline KerasTensor operator>(const KerasTensor& a, const Operand& b) { return binary_operation("Greater", a, b); }
inline KerasTensor operator>=(const KerasTensor& a, const Operand& b) { return binary_operation("GreaterEqual", a, b); }

template <OperandNumber N>
KerasTensor operator+(N a, const KerasTensor& b) {
  return binary_operation("Add", a, b);
}
template <OperandNumber N>
KerasTensor operator-(N a, const KerasTensor& b) {
  return binary_operation("Subtract", a, b);
}
template <OperandNumber N>
KerasTensor operator*(N a, const KerasTensor& b) {
  return binary_operation("Multiply", a, b);
}
template <OperandNumber N>
KerasTensor operator/(N a, const KerasTensor& b) {
  return binary_operation("TrueDivide", a, b);
}
KerasTensor operator-(const KerasTensor& a);

}  // namespace tandem

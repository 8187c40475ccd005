#include "tandem/layers/operators.h"

#include <vector>

#include "tandem/layers/operation.h"

namespace tandem {

KerasTensor binary_operation(const std::string& class_name, const Operand& a, const Operand& b) {
  std::vector<KerasTensor> tensors;
  Config::List operands;
  for (const Operand* operand : {&a, &b}) {
    if (operand->tensor().empty()) {
      operands.push_back(operand->number());
      if (operands.back().is_null()) operand->tensor().node();  // throws: an empty tensor, not a number
    } else {
      operands.push_back(CallArguments::tensor(static_cast<int64_t>(tensors.size())));
      tensors.push_back(operand->tensor());
    }
  }
  return add_operation(class_name, Config::object(), tensors, operands);
}

KerasTensor operator-(const KerasTensor& a) {
  return add_operation("Negative", Config::object(), a, {CallArguments::tensor(0)});
}

}  // namespace tandem

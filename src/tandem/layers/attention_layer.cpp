#include "tandem/layers/attention_layer.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

template <class List>
const auto& input_at(const AttentionLayer& layer, const List& inputs, int64_t number) {
  if (number >= 0 && number < static_cast<int64_t>(inputs.size())) return *(inputs.begin() + number);
  throw InvalidArgument(c10::str("layer '", layer.name(), "' (", layer.class_name(),
                                 "): must get a query, a value and, where it is another, a key, got ", inputs.size(),
                                 " inputs"));
}

}  // namespace

Shapes AttentionLayer::output_shapes_for(const CallArguments& arguments, const Shapes& inputs) {
  const auto call = read_call(arguments);
  const auto [output, scores] =
      attention_shapes({input_at(*this, inputs, call.query), input_at(*this, inputs, call.value),
                        input_at(*this, inputs, call.key.value_or(call.value))});
  return call.with_scores ? Shapes{output, scores} : Shapes{output};
}

Tensors AttentionLayer::call_for(const CallArguments& arguments, const Tensors& inputs, const CallContext& context) {
  const auto call = read_call(arguments);
  Operands operands{input_at(*this, inputs, call.query),
                    input_at(*this, inputs, call.value),
                    input_at(*this, inputs, call.key.value_or(call.value)),
                    call.key.has_value(),
                    {},
                    call.with_scores,
                    call.use_causal_mask};
  if (call.attention_mask) operands.attention_mask = input_at(*this, inputs, *call.attention_mask);
  const auto shape = [](const Tensor& x) { return Shape::of(x.sizes().vec()); };
  const Shape query = shape(operands.query), value = shape(operands.value), key = shape(operands.key);
  attention_shapes({query, value, key});  // refuses what does not fit
  const auto attended = attend(operands, context);
  return call.with_scores ? Tensors{attended.output, attended.scores} : Tensors{attended.output};
}

Shapes AttentionLayer::shapes_to_build(const CallArguments& arguments, const Shapes& inputs) const {
  const auto call = read_call(arguments);
  Shapes shapes{input_at(*this, inputs, call.query), input_at(*this, inputs, call.value)};
  if (call.key) shapes.push_back(input_at(*this, inputs, *call.key));
  return shapes;
}

CallArguments AttentionLayer::plain_arguments(std::size_t inputs) const {
  AttentionCall call;
  if (inputs > 2) call.key = 2;
  return arguments_of(call);
}

void AttentionLayer::throw_wrong_shapes(const std::string& must, const InputShapes& got) const {
  throw InvalidArgument(c10::str("layer '", name(), "' (", class_name(), "): ", must, ", got query ", got.query,
                                 ", value ", got.value, ", key ", got.key));
}

}  // namespace tandem

#include "tandem/layers/attention_handle.h"

#include <ATen/core/Tensor.h>

#include "tandem/layers/attention_layer.h"
#include "tandem/layers/layer_calls.h"

namespace tandem {
namespace {

bool given(const KerasTensor& t) { return !t.empty(); }
bool given(const Tensor& t) { return t.defined(); }

template <class T>
struct WholeCall {
  std::vector<T> inputs;
  std::shared_ptr<const CallArguments> arguments;
};

template <class T>
WholeCall<T> whole_call(Layer& layer, const T& query, const T& value, const AttentionArguments<T>& given_arguments,
                        bool with_scores) {
  WholeCall<T> whole{{query, value}, nullptr};
  const auto add = [&](const T& t) -> std::optional<int64_t> {
    if (!given(t)) return {};
    whole.inputs.push_back(t);
    return static_cast<int64_t>(whole.inputs.size()) - 1;
  };
  AttentionCall call{.with_scores = with_scores, .use_causal_mask = given_arguments.use_causal_mask};
  call.key = add(given_arguments.key);
  call.attention_mask = add(given_arguments.attention_mask);
  whole.arguments = std::make_shared<CallArguments>(dynamic_cast<AttentionLayer&>(layer).arguments_of(call));
  return whole;
}

std::vector<KerasTensor> add_to_graph(const std::shared_ptr<Layer>& layer, const KerasTensor& query,
                                      const KerasTensor& value, const AttentionArguments<KerasTensor>& arguments,
                                      bool with_scores) {
  const auto whole = whole_call(*layer, query, value, arguments, with_scores);
  return call_in_graph(layer, whole.inputs, whole.arguments);
}

Tensors compute(const std::shared_ptr<Layer>& layer, const Tensor& query, const Tensor& value,
                const AttentionArguments<Tensor>& arguments, bool with_scores) {
  const auto whole = whole_call(*layer, query, value, arguments, with_scores);
  return call_now(layer, whole.arguments.get(), whole.inputs, current_context());
}

}  // namespace

KerasTensor AttentionHandle::operator()(const KerasTensor& query, const KerasTensor& value,
                                        const AttentionArguments<KerasTensor>& arguments) const {
  return add_to_graph(get(), query, value, arguments, false).front();
}

Tensor AttentionHandle::operator()(const Tensor& query, const Tensor& value,
                                   const AttentionArguments<Tensor>& arguments) const {
  return compute(get(), query, value, arguments, false).front();
}

std::pair<KerasTensor, KerasTensor> AttentionHandle::with_scores(
    const KerasTensor& query, const KerasTensor& value, const AttentionArguments<KerasTensor>& arguments) const {
  const auto outputs = add_to_graph(get(), query, value, arguments, true);
  return {outputs[0], outputs[1]};
}

std::pair<Tensor, Tensor> AttentionHandle::with_scores(const Tensor& query, const Tensor& value,
                                                       const AttentionArguments<Tensor>& arguments) const {
  const auto outputs = compute(get(), query, value, arguments, true);
  return {outputs[0], outputs[1]};
}

}  // namespace tandem

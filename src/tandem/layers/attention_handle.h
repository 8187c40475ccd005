#pragma once
#include <utility>

#include "tandem/layers/layer_handle.h"

namespace tandem {

/// What attention may be called with beside query and value: KerasTensors in a graph, Tensors to compute at once. Order
/// as in Keras.
template <class T>
struct AttentionArguments {
  T key = {};  // empty: the value
  /// Nonzero where a query may look at a key: (batch, T, S), or with the heads' axis behind the batch; axes of size 1
  /// stand for all.
  T attention_mask = {};
  bool use_causal_mask = false;  // query i looks at keys 0 to i
};

/// The ways to call an attention layer: `attention(query, value)`, `attention(x, x, {.use_causal_mask = true})`, or
/// with one list, `attention({query, value, key})`.
class AttentionHandle : public LayerHandle {
 public:
  using LayerHandle::LayerHandle;
  using LayerHandle::operator();

  KerasTensor operator()(const KerasTensor& query, const KerasTensor& value,
                         const AttentionArguments<KerasTensor>& arguments = {}) const;
  Tensor operator()(const Tensor& query, const Tensor& value, const AttentionArguments<Tensor>& arguments = {}) const;

  /// The output and the scores, which are the shares of all keys in each query's output: Keras's
  /// return_attention_scores.
  std::pair<KerasTensor, KerasTensor> with_scores(const KerasTensor& query, const KerasTensor& value,
                                                  const AttentionArguments<KerasTensor>& arguments = {}) const;
  std::pair<Tensor, Tensor> with_scores(const Tensor& query, const Tensor& value,
                                        const AttentionArguments<Tensor>& arguments = {}) const;
};

}  // namespace tandem

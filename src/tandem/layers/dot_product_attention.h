#pragma once
#include <functional>

#include "tandem/core/tensor.h"

/// softmax(query key^T scale) value, as "Attention Is All You Need" (Vaswani et al. 2017) has it.
namespace tandem {

/// What a query gets that may look at no key at all; Keras has both.
enum class Unseeing {
  kMean,  // the mean of all values, with no gradient for query and keys
  kZero,
};

/// query (..., T, D), key (..., S, D), value (..., S, V) with the same axes in front.
struct DotProduct {
  const Tensor &query, &key, &value;
  double scale;
  Tensor mask = {};     // bool, true where a query may look at a key; fits (..., T, S) by broadcasting; undefined: all
  bool causal = false;  // query i looks at keys 0 to i
  Unseeing unseeing = Unseeing::kMean;
};

/// (..., T, V), by LibTorch's scaled_dot_product_attention, which does not keep the scores.
Tensor fused_attention(const DotProduct& product);

struct AttentionResult {
  Tensor output;  // (..., T, V)
  Tensor scores;  // (..., T, S), without `drop`
};
/// The same step by step. `drop` maps the scores to those that are used; empty: themselves.
AttentionResult plain_attention(const DotProduct& product, const std::function<Tensor(const Tensor&)>& drop = {});

/// (T, S), true where query i may look at key j: j <= i; |i - j| < window.
Tensor causal_mask(int64_t queries, int64_t keys, const Tensor& like);
Tensor window_mask(int64_t queries, int64_t keys, int64_t window, const Tensor& like);

}  // namespace tandem

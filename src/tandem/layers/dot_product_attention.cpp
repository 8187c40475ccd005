#include "tandem/layers/dot_product_attention.h"

#include <ATen/ATen.h>

namespace tandem {
namespace {

// Small enough to get no share beside any other, and the same for all: Keras's value.
constexpr double kMasked = -1e9;

Tensor whole_mask(const DotProduct& product) {
  if (!product.causal) return product.mask;
  const Tensor causal = causal_mask(product.query.size(-2), product.key.size(-2), product.query);
  return product.mask.defined() ? product.mask.logical_and(causal) : causal;
}

}  // namespace

Tensor causal_mask(int64_t queries, int64_t keys, const Tensor& like) {
  return at::ones({queries, keys}, like.options().dtype(at::kBool).requires_grad(false)).tril();
}

Tensor window_mask(int64_t queries, int64_t keys, int64_t window, const Tensor& like) {
  const auto options = like.options().dtype(at::kLong).requires_grad(false);
  return at::arange(queries, options).unsqueeze(1).sub(at::arange(keys, options)).abs().lt(window);
}

Tensor fused_attention(const DotProduct& product) {
  // Every query sees key 0 under the causal mask alone.
  const Tensor mask = product.mask.defined() ? whole_mask(product) : Tensor();
  if (!mask.defined()) {
    return at::scaled_dot_product_attention(product.query, product.key, product.value, {}, 0, product.causal,
                                            product.scale);
  }
  // A query that sees nothing is asked as zeros that see everything: all keys get the same share, and neither it nor
  // they get a gradient.
  const Tensor blind = mask.any(-1, /*keepdim=*/true).logical_not();
  const Tensor query = product.query.masked_fill(blind, 0);
  const Tensor out = at::scaled_dot_product_attention(query, product.key, product.value, mask.logical_or(blind), 0,
                                                      false, product.scale);
  return product.unseeing == Unseeing::kZero ? out.masked_fill(blind, 0) : out;
}

AttentionResult plain_attention(const DotProduct& product, const std::function<Tensor(const Tensor&)>& drop) {
  Tensor logits = at::matmul(product.query * product.scale, product.key.transpose(-2, -1));
  const Tensor mask = whole_mask(product);
  Tensor hidden;
  if (mask.defined()) {
    hidden = mask.logical_not();
    logits = logits.masked_fill(hidden, kMasked);
  }
  Tensor scores = at::softmax(logits, -1);
  if (hidden.defined() && product.unseeing == Unseeing::kZero) scores = scores.masked_fill(hidden, 0);
  return {at::matmul(drop ? drop(scores) : scores, product.value), scores};
}

}  // namespace tandem

#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tandem/layers/attention_handle.h"

namespace tandem::layers {

/// Order as in Keras.
struct MultiHeadAttentionOptions {
  std::optional<int64_t> value_dim = {};  // of a head's values; none: key_dim
  double dropout = 0;                     // of scores, in training
  bool use_bias = true;
  Shape output_shape = {};                   // in place of the query's last axis; empty: that
  std::vector<int64_t> attention_axes = {};  // along which to attend; empty: all but batch and features
  std::optional<int64_t> sliding_window = {};
  /// Refuses what keeps scores (dropout, with_scores). LibTorch chooses its fastest way whether this is set or not.
  bool flash_attention = false;
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> bias_constraint = {};
  bool use_gate = false;  // multiplies what the heads give by the sigmoid of a projection of the query
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// "Attention Is All You Need" (Vaswani et al. 2017): query (batch, T, ...) and value (batch, S, ...), projected to
/// `num_heads` heads, to the query's shape. As keras.layers.MultiHeadAttention, masks of query, value and key included:
/// `MultiHeadAttention(2, 16)(x, x, {.use_causal_mask = true})`.
///
/// Weights: kernels and biases of query, key, (gate,) value and attention_output. Throws InvalidArgument on settings
/// out of range and on shapes that do not fit.
class MultiHeadAttention : public AttentionHandle {
 public:
  MultiHeadAttention(int64_t num_heads, int64_t key_dim, MultiHeadAttentionOptions options = {});
  static MultiHeadAttention from_config(const Config& config);
};

}  // namespace tandem::layers

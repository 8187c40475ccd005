#pragma once
#include <optional>
#include <string>

#include "tandem/layers/attention_handle.h"

namespace tandem::layers {

/// Order as in Keras.
struct GroupQueryAttentionOptions {
  double dropout = 0;  // of scores, in training
  bool use_bias = true;
  std::optional<int64_t> sliding_window = {};
  bool flash_attention = false;  // as in MultiHeadAttentionOptions
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> bias_constraint = {};
  bool use_gate = false;
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Multi-head attention in which several query heads share one head of keys and values (Ainslie et al. 2023): query
/// (batch, T, features), value (batch, S, features), to the query's shape. As keras.layers.GroupQueryAttention; weights
/// as MultiHeadAttention.
///
/// Throws InvalidArgument on settings out of range, unless num_key_value_heads divides num_query_heads, and on shapes
/// that do not fit.
class GroupQueryAttention : public AttentionHandle {
 public:
  GroupQueryAttention(int64_t head_dim, int64_t num_query_heads, int64_t num_key_value_heads,
                      GroupQueryAttentionOptions options = {});
  static GroupQueryAttention from_config(const Config& config);
};

}  // namespace tandem::layers

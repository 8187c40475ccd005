#pragma once
#include <optional>
#include <string>

#include "tandem/layers/attention_handle.h"

namespace tandem::layers {

struct AttentionOptions {
  bool use_scale = false;          // a weight, 1 at first, that the scores are multiplied by
  std::string score_mode = "dot";  // or "concat"
  double dropout = 0;              // of scores, in training
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Each query's output is the mean of the values, weighted by the softmax of its scores with the keys: their products
/// (Luong et al. 2015), or with "concat" the sum of tanh(query + key). Query (batch, T, dim), value (batch, S, out) and
/// key (batch, S, dim), which is the value unless it is given, to (batch, T, out). As keras.layers.Attention:
/// `Attention()({query, value})`, `Attention()(query, value, {.use_causal_mask = true})`; there is no attention_mask.
/// Weights: scale (), concat_score_weight ().
///
/// Throws InvalidArgument on an unknown score_mode, a dropout out of range, and shapes that do not fit.
class Attention : public AttentionHandle {
 public:
  explicit Attention(AttentionOptions options = {});
  static Attention from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <optional>
#include <string>

#include "tandem/layers/attention_handle.h"

namespace tandem::layers {

struct AdditiveAttentionOptions {
  bool use_scale = true;  // a weight for each feature, glorot_uniform at first
  double dropout = 0;     // of scores, in training
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Attention with the scores sum(scale tanh(query + key)) of Bahdanau et al. (2015). As keras.layers.AdditiveAttention;
/// inputs and calls as Attention. Weights: scale (dim,).
class AdditiveAttention : public AttentionHandle {
 public:
  explicit AdditiveAttention(AdditiveAttentionOptions options = {});
  static AdditiveAttention from_config(const Config& config);
};

}  // namespace tandem::layers

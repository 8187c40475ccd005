#include "tandem/layers/additive_attention.h"

#include <ATen/ATen.h>

#include "tandem/layers/scored_attention.h"

namespace tandem::layers {
namespace {

class AdditiveAttentionLayer : public ScoredAttentionLayer {
 public:
  explicit AdditiveAttentionLayer(const AdditiveAttentionOptions& options)
      : ScoredAttentionLayer("AdditiveAttention", options.dropout, options.seed), use_scale_(options.use_scale) {}

  Config get_config() const override {
    Config config = Config::object({{"use_scale", use_scale_}});
    add_dropout_settings(config);
    return config;
  }

  void build_many(const Shapes& inputs) override {
    output_shapes(inputs);
    const int64_t dim = inputs.front().back();
    if (dim <= 0) throw_shape_error(*this, "the query's last axis must be known", inputs.front());
    if (use_scale_) scale_ = add_weight("scale", {dim});
  }

 protected:
  Tensor scores(const Tensor& query, const Tensor& key) const override {
    const Tensor mixed = at::tanh(query.unsqueeze(-2) + key.unsqueeze(-3));
    return use_scale_ ? at::matmul(mixed, scale_.value()) : mixed.sum(-1);
  }

 private:
  bool use_scale_;
  Weight scale_;
};

}  // namespace

AdditiveAttention::AdditiveAttention(AdditiveAttentionOptions options)
    : AttentionHandle(make_remembered<AdditiveAttentionLayer>(options.name, options)) {}

AdditiveAttention AdditiveAttention::from_config(const Config& config) {
  return AdditiveAttention({.use_scale = config.get("use_scale", true).as_bool(),
                            .dropout = config.get("dropout", 0.0).as_double(),
                            .seed = seed_from(config)});
}

}  // namespace tandem::layers

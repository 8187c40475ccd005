#include "tandem/layers/attention.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/scored_attention.h"

namespace tandem::layers {
namespace {

class DotAttentionLayer : public ScoredAttentionLayer {
 public:
  explicit DotAttentionLayer(const AttentionOptions& options)
      : ScoredAttentionLayer("Attention", options.dropout, options.seed),
        use_scale_(options.use_scale),
        concat_(options.score_mode == "concat") {
    if (!concat_ && options.score_mode != "dot")
      throw InvalidArgument(
          c10::str("Attention: score_mode must be 'dot' or 'concat', got '", options.score_mode, "'"));
  }

  Config get_config() const override {
    Config config = Config::object({{"use_scale", use_scale_}, {"score_mode", concat_ ? "concat" : "dot"}});
    add_dropout_settings(config);
    return config;
  }

  void build_many(const Shapes& inputs) override {
    output_shapes(inputs);
    if (use_scale_) scale_ = add_weight("scale", {}, {.initializer = "ones"});
    if (concat_) concat_weight_ = add_weight("concat_score_weight", {}, {.initializer = "ones"});
  }

 protected:
  Tensor scores(const Tensor& query, const Tensor& key) const override {
    if (!concat_) return at::matmul(query * factor(query), key.transpose(-2, -1));
    const Tensor sums = query.unsqueeze(-2) + key.unsqueeze(-3);
    return at::tanh(sums * factor(query)).sum(-1) * concat_weight_.value();
  }

  Tensor factor_of_products(const Tensor& query) const override { return concat_ ? Tensor() : factor(query); }

 private:
  Tensor factor(const Tensor& query) const {
    return use_scale_ ? scale_.value() : at::ones({}, query.options().requires_grad(false));
  }

  bool use_scale_, concat_;
  Weight scale_, concat_weight_;
};

}  // namespace

Attention::Attention(AttentionOptions options)
    : AttentionHandle(make_remembered<DotAttentionLayer>(options.name, options)) {}

Attention Attention::from_config(const Config& config) {
  return Attention({.use_scale = config.get("use_scale", false).as_bool(),
                    .score_mode = config.get("score_mode", "dot").as_string(),
                    .dropout = config.get("dropout", 0.0).as_double(),
                    .seed = seed_from(config)});
}

}  // namespace tandem::layers

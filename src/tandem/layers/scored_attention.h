#pragma once
#include <string>

#include "tandem/layers/attention_layer.h"
#include "tandem/layers/noise.h"

namespace tandem {

/// What Attention and AdditiveAttention share: all but how queries and keys are scored.
class ScoredAttentionLayer : public AttentionLayer {
 public:
  /// Throws InvalidArgument when dropout is not in [0, 1).
  ScoredAttentionLayer(const std::string& class_name, double dropout, const Seed& seed);

  std::string class_name() const final { return class_name_; }
  AttentionCall read_call(const CallArguments& arguments) const final;
  CallArguments arguments_of(const AttentionCall& call) const final;

 protected:
  /// (batch, T, S) for query (batch, T, dim) and key (batch, S, dim).
  virtual Tensor scores(const Tensor& query, const Tensor& key) const = 0;
  /// What to multiply queries by so that scores are their products with keys; undefined where they are not that.
  virtual Tensor factor_of_products(const Tensor& query) const;

  void add_dropout_settings(Config& config) const;
  std::pair<Shape, Shape> attention_shapes(const InputShapes& inputs) final;
  Attended attend(const Operands& operands, const CallContext& context) final;

 private:
  std::string class_name_;
  double dropout_;
  Seed seed_;
};

}  // namespace tandem

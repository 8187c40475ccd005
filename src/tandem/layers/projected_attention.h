#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tandem/layers/attention_layer.h"
#include "tandem/layers/dot_product_attention.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/noise.h"

namespace tandem {

/// What MultiHeadAttention and GroupQueryAttention have in common.
struct ProjectedAttentionSettings {
  int64_t query_heads = 0, key_value_heads = 0;  // each of the latter serves equally many of the former
  int64_t key_dim = 0, value_dim = 0;            // of one head
  double dropout = 0;
  bool use_bias = true, use_gate = false, flash_attention = false;
  std::optional<int64_t> sliding_window = {};
  WeightOptions kernel = {}, bias = {};
  Handle<Regularizer> activity_regularizer = {};
  Seed seed = {};
};

/// Attention of several heads between projections: query, key and value each to heads of their own, and what the heads
/// give to the output. Weights: query, key, (gate,) value and attention_output, each a kernel and a bias.
class ProjectedAttentionLayer : public AttentionLayer {
 public:
  /// Throws InvalidArgument in the name of `class_name` on a setting out of range.
  ProjectedAttentionLayer(const std::string& class_name, ProjectedAttentionSettings settings);

  std::string class_name() const final { return class_name_; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const final;
  std::vector<std::string> build_names() const final { return {"query_shape", "value_shape", "key_shape"}; }
  AttentionCall read_call(const CallArguments& arguments) const final;
  CallArguments arguments_of(const AttentionCall& call) const final;
  void build_many(const Shapes& inputs) final;

 protected:
  const ProjectedAttentionSettings& settings() const { return settings_; }
  /// Adds what both write to their configs behind their sizes, in the order of Keras's.
  void add_weight_settings(Config& config) const;

  /// The axes of the query, in ascending order, along which queries look at keys.
  virtual std::vector<int64_t> attention_axes(int64_t rank) const = 0;
  /// The output's axes in place of the query's last one.
  virtual Shape output_sizes(const Shape& query) const = 0;
  /// Throws InvalidArgument.
  virtual void check_shapes(const InputShapes& inputs) const = 0;

  std::pair<Shape, Shape> attention_shapes(const InputShapes& inputs) final;
  Attended attend(const Operands& operands, const CallContext& context) final;

 private:
  LayerHandle project(const std::string& name, const Shape& input, int64_t heads, int64_t dim, bool gate);
  /// Keras's combination of the masks that travel with the inputs, the call's and the layer's own; undefined: none. The
  /// causal one is part of it where there is another, so that it must be asked for alone only without.
  Tensor mask_of_call(const Operands& operands) const;

  std::string class_name_;
  ProjectedAttentionSettings settings_;
  LayerHandle query_, key_, value_, gate_, output_;
};

}  // namespace tandem

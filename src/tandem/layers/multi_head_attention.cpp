#include "tandem/layers/multi_head_attention.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/layers/axes.h"
#include "tandem/layers/projected_attention.h"
#include "tandem/layers/projected_attention_options.h"
#include "tandem/layers/shape_config.h"

namespace tandem::layers {
namespace {

ProjectedAttentionSettings settings_of(int64_t num_heads, int64_t key_dim, const MultiHeadAttentionOptions& options) {
  const int64_t value_dim = options.value_dim.value_or(key_dim);
  for (const auto& [what, value] :
       {std::pair{"num_heads", num_heads}, {"key_dim", key_dim}, {"value_dim", value_dim}}) {
    if (value <= 0) throw InvalidArgument(c10::str("MultiHeadAttention: ", what, " must be positive, got ", value));
  }
  auto settings = settings_from(options);
  settings.query_heads = num_heads;
  settings.key_value_heads = num_heads;
  settings.key_dim = key_dim;
  settings.value_dim = value_dim;
  return settings;
}

class MultiHeadAttentionLayer : public ProjectedAttentionLayer {
 public:
  MultiHeadAttentionLayer(int64_t num_heads, int64_t key_dim, const MultiHeadAttentionOptions& options)
      : ProjectedAttentionLayer("MultiHeadAttention", settings_of(num_heads, key_dim, options)),
        output_shape_(options.output_shape),
        axes_(options.attention_axes) {
    for (const auto size : output_shape_) {
      if (size <= 0)
        throw InvalidArgument(c10::str("MultiHeadAttention: output_shape must hold sizes, got ", output_shape_));
    }
  }

  bool takes_masks() const override { return true; }

  Config get_config() const override {
    const auto& s = settings();
    // Keras writes the axes that it has found once it is built.
    auto axes = axes_;
    if (built()) axes = attention_axes(build_shapes().front().rank());
    Config config = Config::object({{"num_heads", s.query_heads},
                                    {"key_dim", s.key_dim},
                                    {"value_dim", s.value_dim},
                                    {"dropout", s.dropout},
                                    {"use_bias", s.use_bias},
                                    {"use_gate", s.use_gate},
                                    {"output_shape", output_shape_.empty() ? Config() : shape_to_config(output_shape_)},
                                    {"attention_axes", axes.empty() ? Config() : Config::list(axes)},
                                    {"sliding_window", s.sliding_window ? Config(*s.sliding_window) : Config()}});
    add_weight_settings(config);
    return config;
  }

 protected:
  std::vector<int64_t> attention_axes(int64_t rank) const override {
    auto axes = axes_;
    if (axes.empty()) {
      axes.resize(static_cast<std::size_t>(std::max<int64_t>(rank - 2, 0)));
      std::iota(axes.begin(), axes.end(), 1);
    }
    for (auto& axis : axes) axis += axis < 0 ? rank : 0;
    std::sort(axes.begin(), axes.end());
    const bool twice = std::adjacent_find(axes.begin(), axes.end()) != axes.end();
    if (axes.empty() || twice || axes.front() < 1 || axes.back() > rank - 2) {
      throw InvalidArgument(c10::str("layer '", name(), "' (MultiHeadAttention): attention_axes must be axes of the ",
                                     "inputs, each once, and neither the batch nor the features, got ",
                                     Config::list(axes_).shown(), " for inputs of rank ", rank));
    }
    return axes;
  }

  Shape output_sizes(const Shape& query) const override {
    return output_shape_.empty() ? Shape{query.back()} : output_shape_;
  }

  void check_shapes(const InputShapes& inputs) const override {
    const auto rank = inputs.query.rank();
    const auto axes = attention_axes(rank);
    bool fit = inputs.value.rank() == rank && inputs.key.rank() == rank;
    for (int64_t axis = 0; fit && axis < rank - 1; ++axis) {
      const bool along = std::find(axes.begin(), axes.end(), axis) != axes.end();
      fit = Shape::agree(inputs.value[axis], inputs.key[axis]) &&
            (along || Shape::agree(inputs.query[axis], inputs.value[axis]));
    }
    if (!fit) {
      throw_wrong_shapes(
          "value and key must have the query's rank and equal sizes but for the features, and the query "
          "theirs but along attention_axes",
          inputs);
    }
  }

 private:
  Shape output_shape_;
  std::vector<int64_t> axes_;
};

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t num_heads, int64_t key_dim, MultiHeadAttentionOptions options)
    : AttentionHandle(make_remembered<MultiHeadAttentionLayer>(options.name, num_heads, key_dim, options)) {}

MultiHeadAttention MultiHeadAttention::from_config(const Config& config) {
  const Config output = config.get("output_shape", {}), axes = config.get("attention_axes", {});
  auto options = projected_options_from<MultiHeadAttentionOptions>(config);
  if (!output.is_null()) options.output_shape = output.is_list() ? shape_from_config(output) : Shape{output.as_int()};
  if (!axes.is_null()) options.attention_axes = Axes::from_config(axes).numbers();
  if (const Config dim = config.get("value_dim", {}); !dim.is_null()) options.value_dim = dim.as_int();
  return MultiHeadAttention(config.at("num_heads").as_int(), config.at("key_dim").as_int(), options);
}

}  // namespace tandem::layers

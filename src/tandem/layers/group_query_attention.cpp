#include "tandem/layers/group_query_attention.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/activity_loss.h"
#include "tandem/layers/projected_attention.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/weight_config.h"

namespace tandem::layers {
namespace {

ProjectedAttentionSettings grouped_settings(int64_t head_dim, int64_t query_heads, int64_t key_value_heads,
                                            const GroupQueryAttentionOptions& options) {
  if (head_dim <= 0) throw InvalidArgument(c10::str("GroupQueryAttention: head_dim must be positive, got ", head_dim));
  if (query_heads <= 0 || key_value_heads <= 0 || query_heads % key_value_heads != 0) {
    throw InvalidArgument(
        c10::str("GroupQueryAttention: num_query_heads must be a multiple of num_key_value_heads, got ", query_heads,
                 " and ", key_value_heads));
  }
  return {.query_heads = query_heads,
          .key_value_heads = key_value_heads,
          .key_dim = head_dim,
          .value_dim = head_dim,
          .dropout = options.dropout,
          .use_bias = options.use_bias,
          .use_gate = options.use_gate,
          .flash_attention = options.flash_attention,
          .sliding_window = options.sliding_window,
          .kernel = {.initializer = options.kernel_initializer,
                     .regularizer = options.kernel_regularizer,
                     .constraint = options.kernel_constraint},
          .bias = {.initializer = options.bias_initializer,
                   .regularizer = options.bias_regularizer,
                   .constraint = options.bias_constraint},
          .activity_regularizer = resolved(options.activity_regularizer),
          .seed = options.seed};
}

class GroupQueryAttentionLayer : public ProjectedAttentionLayer {
 public:
  GroupQueryAttentionLayer(int64_t head_dim, int64_t query_heads, int64_t key_value_heads,
                           const GroupQueryAttentionOptions& options)
      : ProjectedAttentionLayer("GroupQueryAttention",
                                grouped_settings(head_dim, query_heads, key_value_heads, options)) {}

  Config get_config() const override {
    const auto& s = settings();
    Config config = Config::object({{"head_dim", s.key_dim},
                                    {"num_query_heads", s.query_heads},
                                    {"num_key_value_heads", s.key_value_heads},
                                    {"use_bias", s.use_bias},
                                    {"use_gate", s.use_gate},
                                    {"sliding_window", s.sliding_window ? Config(*s.sliding_window) : Config()},
                                    {"dropout", s.dropout}});
    add_weight_settings(config);
    return config;
  }

 protected:
  std::vector<int64_t> attention_axes(int64_t /*rank*/) const override { return {1}; }
  Shape output_sizes(const Shape& query) const override { return {query.back()}; }

  void check_shapes(const InputShapes& inputs) const override {
    const auto agree = [](int64_t m, int64_t n) { return m == n || m == Shape::kUnknown || n == Shape::kUnknown; };
    const Shape &query = inputs.query, &value = inputs.value, &key = inputs.key;
    const bool fit = query.rank() == 3 && value.rank() == 3 && key.rank() == 3 && agree(query[0], value[0]) &&
                     agree(value[0], key[0]) && agree(value[1], key[1]) && agree(query[2], value[2]);
    if (!fit) {
      throw_wrong_shapes(
          "inputs must have the shape (batch, steps, features), with as many steps in value and key and "
          "as many features in query and value",
          inputs);
    }
  }
};

}  // namespace

GroupQueryAttention::GroupQueryAttention(int64_t head_dim, int64_t num_query_heads, int64_t num_key_value_heads,
                                         GroupQueryAttentionOptions options)
    : AttentionHandle(make_remembered<GroupQueryAttentionLayer>(options.name, head_dim, num_query_heads,
                                                                num_key_value_heads, options)) {}

GroupQueryAttention GroupQueryAttention::from_config(const Config& config) {
  const WeightOptions kernel = weight_options_from(config, "kernel", "glorot_uniform");
  const WeightOptions bias = weight_options_from(config, "bias", "zeros");
  GroupQueryAttentionOptions options{.dropout = config.get("dropout", 0.0).as_double(),
                                     .use_bias = config.get("use_bias", true).as_bool(),
                                     .kernel_initializer = kernel.initializer,
                                     .bias_initializer = bias.initializer,
                                     .kernel_regularizer = kernel.regularizer,
                                     .bias_regularizer = bias.regularizer,
                                     .activity_regularizer = regularizer_from(config, "activity_regularizer"),
                                     .kernel_constraint = kernel.constraint,
                                     .bias_constraint = bias.constraint,
                                     .use_gate = config.get("use_gate", false).as_bool(),
                                     .seed = seed_from(config)};
  if (const Config window = config.get("sliding_window", {}); !window.is_null())
    options.sliding_window = window.as_int();
  return GroupQueryAttention(config.at("head_dim").as_int(), config.at("num_query_heads").as_int(),
                             config.at("num_key_value_heads").as_int(), options);
}

}  // namespace tandem::layers

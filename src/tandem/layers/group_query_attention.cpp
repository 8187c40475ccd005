#include "tandem/layers/group_query_attention.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/projected_attention.h"
#include "tandem/layers/projected_attention_options.h"

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
  auto settings = settings_from(options);
  settings.query_heads = query_heads;
  settings.key_value_heads = key_value_heads;
  settings.key_dim = head_dim;
  settings.value_dim = head_dim;
  return settings;
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
    const Shape &query = inputs.query, &value = inputs.value, &key = inputs.key;
    const bool fit = query.rank() == 3 && value.rank() == 3 && key.rank() == 3 && Shape::agree(query[0], value[0]) &&
                     Shape::agree(value[0], key[0]) && Shape::agree(value[1], key[1]) &&
                     Shape::agree(query[2], value[2]);
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
  auto options = projected_options_from<GroupQueryAttentionOptions>(config);
  return GroupQueryAttention(config.at("head_dim").as_int(), config.at("num_query_heads").as_int(),
                             config.at("num_key_value_heads").as_int(), options);
}

}  // namespace tandem::layers

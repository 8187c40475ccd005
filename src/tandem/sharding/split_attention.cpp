// Attention by heads: each rank has the projections of some heads, and its part of the last one is an addend.
#include <c10/util/StringUtil.h>

#include "tandem/sharding/split_layer.h"

namespace tandem::sharding {
namespace {

// The bias of the last projection, which every rank has whole; undefined where there is none.
Weight last_bias(const Layer& layer) {
  for (const auto& child : layer.children()) {
    if (child->name() != "attention_output") continue;
    for (const auto& w : child->own_weights()) {
      if (w.name() == "bias") return w;
    }
  }
  return {};
}

}  // namespace

SplitOrReason split_attention(const SplitCall& call) {
  const Layer& layer = *call.layer;
  Config config = layer.get_config();
  if (!config.get("activity_regularizer", {}).is_null()) return "has an activity_regularizer";
  if (config.at("dropout").as_double() > 0) return "has dropout of scores";
  if (config.get("use_gate", false).as_bool()) return "has a gate";
  const auto weights = layer.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].variable().regularizer || weights[i].variable().constraint)
      return c10::str("'", weights[i].name(), "' has a regularizer or a constraint");
  }
  const int64_t ranks = call.place.ranks;
  if (layer.class_name() == "MultiHeadAttention") {
    const Division heads{1, config.at("num_heads").as_int()};
    if (heads.size < ranks) return c10::str("has ", heads.size, " heads");
    config.set("num_heads", heads.count(call.place));
    if (config.at("output_shape").is_null()) config.set("output_shape", Config::list({call.shapes.front().back()}));
  } else {
    // As many queries to a key on each rank.
    const int64_t queries = config.at("num_query_heads").as_int(), keys = config.at("num_key_value_heads").as_int();
    if (keys % ranks != 0) return c10::str("has ", keys, " heads of keys, no multiple of the devices");
    config.set("num_query_heads", queries / ranks).set("num_key_value_heads", keys / ranks);
  }
  const auto own = layer_in_place_of(layer, config);
  SplitLayer split{.how = "by heads", .layer = own, .adds_up = true};
  if (!config.get("use_bias", true).as_bool()) return split;
  // Each addend has the bias, so it is taken away before the sum and given back after it; gradients add up to one.
  own->ensure_built(layer.build_shapes());
  const Weight bias = last_bias(*own);
  split.before_sum = make_shift(layer, bias, -1);
  split.after = make_shift(layer, bias, 1);
  return split;
}

}  // namespace tandem::sharding

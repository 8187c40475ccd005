// Dense: by units where its input is whole, by inputs where that is divided.
#include <c10/util/StringUtil.h>

#include "tandem/sharding/split_layer.h"

namespace tandem::sharding {

SplitOrReason split_dense(const SplitCall& call) {
  const Layer& layer = *call.layer;
  Config config = layer.get_config();
  if (!config.get("activity_regularizer", {}).is_null()) return "has an activity_regularizer";
  const std::string activation = config.at("activation").is_null() ? "linear" : config.at("activation").as_string();
  const bool bias = config.at("use_bias").as_bool();
  const int64_t units = config.at("units").as_int();
  if (const auto& in = call.inputs.front(); !in.whole() && why_not_divided(layer, 0, 0).empty()) {
    config.set("activation", "linear").set("use_bias", false);
    return SplitLayer{.how = "by inputs",
                      .takes = in,
                      .layer = layer_in_place_of(layer, config),
                      .adds_up = true,
                      .after = make_tail(layer, bias, activation)};
  }
  if (units < call.place.ranks) return c10::str("has ", units, " units");
  for (const std::size_t weight : {0, 1}) {
    if (const auto why = why_not_divided(layer, weight, weight == 0 ? 1 : 0); !why.empty()) return why;
  }
  const Division own{1, units};
  const bool within = is_elementwise(activation) && !(call.is_output && activation == "sigmoid");
  config.set("units", own.count(call.place));
  if (!within) config.set("activation", "linear");
  return SplitLayer{.how = "by units",
                    .layer = layer_in_place_of(layer, config),
                    .gives = own,
                    .after = within ? nullptr : make_tail(layer, false, activation)};
}

}  // namespace tandem::sharding

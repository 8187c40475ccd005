#include "tandem/layers/warping_layer.h"

namespace tandem {

Config WarpingLayer::get_config() const {
  Config config = Config::object({{"data_format", "channels_last"}});
  const Config own = factors();
  for (const auto& [key, value] : own.as_object()) config.set(key, value);
  config.set("fill_mode", to_string(warp_.outside));
  config.set("fill_value", warp_.fill_value);
  config.set("interpolation", to_string(warp_.interpolation));
  config.set("seed", seed_to_config(seed()));
  return config;
}

}  // namespace tandem

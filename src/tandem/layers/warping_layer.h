#pragma once
#include <string>

#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/warp.h"

namespace tandem {

/// What the random image layers share that move pixels.
class WarpingLayer : public RandomImageLayer {
 public:
  /// Options with fill_mode, interpolation, fill_value and seed. Throws InvalidArgument naming `layer` on an unknown
  /// name.
  template <class Options>
  WarpingLayer(const std::string& layer, const Options& options)
      : RandomImageLayer(options.seed),
        warp_{.outside = parse_fill_mode(layer, options.fill_mode),
              .interpolation = parse_interpolation(layer, options.interpolation),
              .fill_value = options.fill_value} {}

  Config get_config() const final;

 protected:
  /// The factors that the layer draws from, under Keras's keys.
  virtual Config factors() const = 0;
  const WarpOptions& warp_options() const { return warp_; }

 private:
  WarpOptions warp_;
};

/// Reads what a WarpingLayer's config holds beside its factors, with Keras's defaults. Throws InvalidArgument naming
/// `layer` on settings that are not supported.
template <class Options>
Options warp_options_from(const Config& config, const std::string& layer, Options options) {
  check_channels_last(config, layer);
  refuse_settings(config, layer, {"bounding_box_format"});
  options.fill_mode = config.get("fill_mode", "reflect").as_string();
  options.interpolation = config.get("interpolation", "bilinear").as_string();
  options.seed = seed_from(config);
  options.fill_value = config.get("fill_value", 0.0).as_double();
  return options;
}

}  // namespace tandem

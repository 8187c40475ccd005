#include "tandem/layers/spatial_dropout2d.h"

#include "tandem/layers/serialization.h"
#include "tandem/layers/spatial_dropout.h"

namespace tandem::layers {

SpatialDropout2D::SpatialDropout2D(double rate, SpatialDropout2DOptions options)
    : LayerHandle(make_remembered<SpatialDropoutLayer>(options.name, "SpatialDropout2D", 2, rate, options.seed)) {}

SpatialDropout2D SpatialDropout2D::from_config(const Config& config) {
  check_channels_last(config, "SpatialDropout2D");
  return SpatialDropout2D(config.at("rate").as_double(), {.seed = seed_from(config)});
}

}  // namespace tandem::layers

#include "tandem/layers/spatial_dropout3d.h"

#include "tandem/layers/serialization.h"
#include "tandem/layers/spatial_dropout.h"

namespace tandem::layers {

SpatialDropout3D::SpatialDropout3D(double rate, SpatialDropout3DOptions options)
    : LayerHandle(make_remembered<SpatialDropoutLayer>(options.name, "SpatialDropout3D", 3, rate, options.seed)) {}

SpatialDropout3D SpatialDropout3D::from_config(const Config& config) {
  check_channels_last(config, "SpatialDropout3D");
  return SpatialDropout3D(config.at("rate").as_double(), {.seed = seed_from(config)});
}

}  // namespace tandem::layers

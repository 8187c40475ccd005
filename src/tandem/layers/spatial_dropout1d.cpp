#include "tandem/layers/spatial_dropout1d.h"

#include "tandem/layers/spatial_dropout.h"

namespace tandem::layers {

SpatialDropout1D::SpatialDropout1D(double rate, SpatialDropout1DOptions options)
    : LayerHandle(make_remembered<SpatialDropoutLayer>(options.name, "SpatialDropout1D", 1, rate, options.seed)) {}

SpatialDropout1D SpatialDropout1D::from_config(const Config& config) {
  return SpatialDropout1D(config.at("rate").as_double(), {.seed = seed_from(config)});
}

}  // namespace tandem::layers

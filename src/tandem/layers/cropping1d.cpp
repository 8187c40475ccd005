#include "tandem/layers/cropping1d.h"

#include "tandem/layers/cropping.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {

Cropping1D::Cropping1D(Sides1D cropping, Cropping1DOptions options)
    : LayerHandle(make_remembered<CroppingLayer>(options.name, "Cropping1D", Sides(cropping))) {}

Cropping1D Cropping1D::from_config(const Config& config) {
  check_channels_last(config, "Cropping1D");
  return Cropping1D(Sides1D::from_config(config, "cropping", 1));
}

}  // namespace tandem::layers

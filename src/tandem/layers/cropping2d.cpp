#include "tandem/layers/cropping2d.h"

#include "tandem/layers/cropping.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {

Cropping2D::Cropping2D(Sides2D cropping, Cropping2DOptions options)
    : LayerHandle(make_remembered<CroppingLayer>(options.name, "Cropping2D", Sides(cropping))) {}

Cropping2D Cropping2D::from_config(const Config& config) {
  check_channels_last(config, "Cropping2D");
  return Cropping2D(Sides2D::from_config(config, "cropping", 0));
}

}  // namespace tandem::layers

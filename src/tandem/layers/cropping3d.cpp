#include "tandem/layers/cropping3d.h"

#include "tandem/layers/cropping.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {

Cropping3D::Cropping3D(Sides3D cropping, Cropping3DOptions options)
    : LayerHandle(make_remembered<CroppingLayer>(options.name, "Cropping3D", Sides(cropping))) {}

Cropping3D Cropping3D::from_config(const Config& config) {
  check_channels_last(config, "Cropping3D");
  return Cropping3D(Sides3D::from_config(config, "cropping", 1));
}

}  // namespace tandem::layers

#include "tandem/layers/zero_padding3d.h"

#include "tandem/layers/serialization.h"
#include "tandem/layers/zero_padding.h"

namespace tandem::layers {

ZeroPadding3D::ZeroPadding3D(Sides3D padding, ZeroPadding3DOptions options)
    : LayerHandle(make_remembered<ZeroPaddingLayer>(options.name, "ZeroPadding3D", Sides(padding))) {}

ZeroPadding3D ZeroPadding3D::from_config(const Config& config) {
  check_channels_last(config, "ZeroPadding3D");
  return ZeroPadding3D(Sides3D::from_config(config, "padding", 1));
}

}  // namespace tandem::layers

#include "tandem/layers/zero_padding2d.h"

#include "tandem/layers/serialization.h"
#include "tandem/layers/zero_padding.h"

namespace tandem::layers {

ZeroPadding2D::ZeroPadding2D(Sides2D padding, ZeroPadding2DOptions options)
    : LayerHandle(make_remembered<ZeroPaddingLayer>(options.name, "ZeroPadding2D", Sides(padding))) {}

ZeroPadding2D ZeroPadding2D::from_config(const Config& config) {
  check_channels_last(config, "ZeroPadding2D");
  return ZeroPadding2D(Sides2D::from_config(config, "padding", 1));
}

}  // namespace tandem::layers

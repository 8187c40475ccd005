#include "tandem/layers/zero_padding1d.h"

#include "tandem/layers/serialization.h"
#include "tandem/layers/zero_padding.h"

namespace tandem::layers {

ZeroPadding1D::ZeroPadding1D(Sides1D padding, ZeroPadding1DOptions options)
    : LayerHandle(make_remembered<ZeroPaddingLayer>(options.name, "ZeroPadding1D", Sides(padding))) {}

ZeroPadding1D ZeroPadding1D::from_config(const Config& config) {
  check_channels_last(config, "ZeroPadding1D");
  return ZeroPadding1D(Sides1D::from_config(config, "padding", 1));
}

}  // namespace tandem::layers

#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/sides.h"

namespace tandem::layers {

struct ZeroPadding3DOptions {
  std::string name = {};
};

/// Planes, rows and columns of zeros around volumes (batch, depth, height, width, channels). As
/// keras.layers.ZeroPadding3D: `ZeroPadding3D(1)`, `ZeroPadding3D({1, 2, 3})` for depth, height and width,
/// `ZeroPadding3D({{1, 0}, {2, 3}, {0, 1}})` for front, back, top, bottom and left, right. Throws InvalidArgument on
/// negative numbers and on an input of rank other than 5.
class ZeroPadding3D : public LayerHandle {
 public:
  explicit ZeroPadding3D(Sides3D padding = 1, ZeroPadding3DOptions options = {});
  static ZeroPadding3D from_config(const Config& config);
};

}  // namespace tandem::layers

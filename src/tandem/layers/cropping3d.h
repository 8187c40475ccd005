#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/sides.h"

namespace tandem::layers {

struct Cropping3DOptions {
  std::string name = {};
};

/// Cuts planes, rows and columns off the sides of volumes (batch, depth, height, width, channels). As
/// keras.layers.Cropping3D: `Cropping3D(1)`, `Cropping3D({1, 2, 3})` for depth, height and width, `Cropping3D({{1, 0},
/// {2, 3}, {0, 1}})` for front, back, top, bottom and left, right. What is left is moved, so that the output is
/// row-major like every layer's. Throws InvalidArgument on negative numbers, on an input of rank other than 5 and where
/// nothing would be left.
class Cropping3D : public LayerHandle {
 public:
  explicit Cropping3D(Sides3D cropping = 1, Cropping3DOptions options = {});
  static Cropping3D from_config(const Config& config);
};

}  // namespace tandem::layers

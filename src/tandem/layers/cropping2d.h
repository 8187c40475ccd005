#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/sides.h"

namespace tandem::layers {

struct Cropping2DOptions {
  std::string name = {};
};

/// Cuts rows and columns off the sides of images (batch, height, width, channels). As keras.layers.Cropping2D:
/// `Cropping2D(1)`, `Cropping2D({1, 2})` for height and width, `Cropping2D({{1, 0}, {2, 3}})` for top, bottom and left,
/// right. What is left is moved, so that the output is row-major like every layer's. Throws InvalidArgument on negative
/// numbers, on an input of rank other than 4 and where nothing would be left.
class Cropping2D : public LayerHandle {
 public:
  explicit Cropping2D(Sides2D cropping = 0, Cropping2DOptions options = {});
  static Cropping2D from_config(const Config& config);
};

}  // namespace tandem::layers

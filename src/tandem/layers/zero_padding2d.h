#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/sides.h"

namespace tandem::layers {

struct ZeroPadding2DOptions {
  std::string name = {};
};

/// Rows and columns of zeros around images (batch, height, width, channels). As keras.layers.ZeroPadding2D:
/// `ZeroPadding2D(1)`, `ZeroPadding2D({1, 2})` for height and width, `ZeroPadding2D({{1, 0}, {2, 3}})` for top, bottom
/// and left, right. Throws InvalidArgument on negative numbers and on an input of rank other than 4.
class ZeroPadding2D : public LayerHandle {
 public:
  explicit ZeroPadding2D(Sides2D padding = 1, ZeroPadding2DOptions options = {});
  static ZeroPadding2D from_config(const Config& config);
};

}  // namespace tandem::layers

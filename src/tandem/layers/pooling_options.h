#pragma once
#include <string>

#include "tandem/layers/spatial_size.h"

namespace tandem::layers {

/// Of the max and average pooling layers. Size: Size1D, Size2D or Size3D.
template <class Size>
struct PoolingOptions {
  Size strides = {};              // the pool size unless given
  std::string padding = "valid";  // or "same"
  std::string name = {};
};

/// Of the global pooling layers.
struct GlobalPoolingOptions {
  bool keepdims = false;
  std::string name = {};
};

}  // namespace tandem::layers

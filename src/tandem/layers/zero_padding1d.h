#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/sides.h"

namespace tandem::layers {

struct ZeroPadding1DOptions {
  std::string name = {};
};

/// Steps of zeros before and behind sequences (batch, steps, channels). As keras.layers.ZeroPadding1D:
/// `ZeroPadding1D(1)` for both ends, `ZeroPadding1D({1, 2})` for the beginning and the end. Throws InvalidArgument on
/// negative numbers and on an input of rank other than 3.
class ZeroPadding1D : public LayerHandle {
 public:
  explicit ZeroPadding1D(Sides1D padding = 1, ZeroPadding1DOptions options = {});
  static ZeroPadding1D from_config(const Config& config);
};

}  // namespace tandem::layers

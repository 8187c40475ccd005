#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/sides.h"

namespace tandem::layers {

struct Cropping1DOptions {
  std::string name = {};
};

/// Cuts steps off the ends of sequences (batch, steps, channels). As keras.layers.Cropping1D: `Cropping1D(1)` for both
/// ends, `Cropping1D({1, 2})` for the beginning and the end. What is left is moved, so that the output is row-major
/// like every layer's. Throws InvalidArgument on negative numbers, on an input of rank other than 3 and where nothing
/// would be left.
class Cropping1D : public LayerHandle {
 public:
  explicit Cropping1D(Sides1D cropping = 1, Cropping1DOptions options = {});
  static Cropping1D from_config(const Config& config);
};

}  // namespace tandem::layers

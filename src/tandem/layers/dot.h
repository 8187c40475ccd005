#pragma once
#include <string>

#include "tandem/layers/axes.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct DotOptions {
  bool normalize = false;  // divides by the norms along the axes: cosines
  std::string name = {};
};

/// For each row the products of two inputs, summed along one axis of each: `Dot(1)({x, y})`, `Dot({2, 1})({x, y})`. The
/// output has the batch, the first input's other axes, then the second's; of two vectors it is (batch, 1). As
/// keras.layers.Dot. Throws InvalidArgument naming both shapes unless there are two inputs with axes of one size, which
/// are not the batch.
class Dot : public LayerHandle {
 public:
  explicit Dot(Axes axes, DotOptions options = {});
  static Dot from_config(const Config& config);
};

}  // namespace tandem::layers

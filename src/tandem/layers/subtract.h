#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct SubtractOptions {
  std::string name = {};
};

/// The first of two inputs minus the second: `Subtract()({x, y})`. As keras.layers.Subtract: axes of size 1 are
/// repeated, and an input of fewer axes gets axes of size 1 behind the batch. Throws InvalidArgument naming all
/// shapes when they differ, and unless there are two inputs.
class Subtract : public LayerHandle {
 public:
  explicit Subtract(SubtractOptions options = {});
  static Subtract from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct RandomFlipOptions {
  std::string mode = "horizontal_and_vertical";  // or "horizontal", "vertical"
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Images (batch, height, width, channels) turned over with probability 1/2: left to right, top to bottom, or, as Keras
/// draws once for both, in both directions at once. In training alone; else the images stay. Whole numbers become
/// float32. As keras.layers.RandomFlip: row r of the global batch gets the same draw however the batch is divided.
/// Throws InvalidArgument on an unknown mode and an input of rank other than 4.
class RandomFlip : public LayerHandle {
 public:
  explicit RandomFlip(RandomFlipOptions options = {});
  static RandomFlip from_config(const Config& config);
};

}  // namespace tandem::layers

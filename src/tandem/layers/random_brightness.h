#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/random_range.h"

namespace tandem::layers {

struct RandomBrightnessOptions {
  std::array<double, 2> value_range = {0, 255};  // of the images' values, which are cut off there
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Images (batch, height, width, channels) made brighter or darker: to all values of an image a draw from `factor` is
/// added, in widths of value_range. In training alone; else the images stay. Whole numbers become float32. As
/// keras.layers.RandomBrightness: row r of the global batch gets the same draw however the batch is divided. Throws
/// InvalidArgument on a factor outside of [-1, 1], a value_range that is none and an input of rank other than 4.
class RandomBrightness : public LayerHandle {
 public:
  explicit RandomBrightness(RandomRange factor, RandomBrightnessOptions options = {});
  static RandomBrightness from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/random_range.h"

namespace tandem::layers {

struct RandomContrastOptions {
  std::array<double, 2> value_range = {0, 255};  // of the images' values, which are cut off there
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Images (batch, height, width, channels) with their contrast changed: (x - mean) * c + mean with the mean of each
/// channel of an image and c drawn from [1 - low, 1 + high] for `RandomContrast({low, high})`. One number f stands, as
/// in Keras 3.15, for {0, f}: the contrast only grows. In training alone; else the images stay. Whole numbers become
/// float32. As keras.layers.RandomContrast: row r of the global batch gets the same draw however the batch is divided.
/// Throws InvalidArgument on a factor outside of [0, 1], a value_range that is none and an input of rank other than 4.
class RandomContrast : public LayerHandle {
 public:
  explicit RandomContrast(RandomRange factor, RandomContrastOptions options = {});
  static RandomContrast from_config(const Config& config);
};

}  // namespace tandem::layers

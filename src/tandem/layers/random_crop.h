#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct RandomCropOptions {
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// A window of images (batch, height', width', channels), at one random place for all of a batch: (batch, height,
/// width, channels). Elsewhere than in training, and where an image is not larger than the window, it is the middle in
/// the window's shape, resized bilinearly. Whole numbers become float32. As keras.layers.RandomCrop is documented (3.15
/// leaves images whole at inference). Throws InvalidArgument on sizes that are not positive and an input of rank other
/// than 4.
class RandomCrop : public LayerHandle {
 public:
  RandomCrop(int64_t height, int64_t width, RandomCropOptions options = {});
  static RandomCrop from_config(const Config& config);
};

}  // namespace tandem::layers

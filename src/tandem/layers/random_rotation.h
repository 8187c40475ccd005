#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/random_range.h"

namespace tandem::layers {

struct RandomRotationOptions {
  std::string fill_mode = "reflect";       // what stands outside: also "wrap", "constant", "nearest"
  std::string interpolation = "bilinear";  // or "nearest"
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  double fill_value = 0;  // of fill_mode "constant"
  std::string name = {};
};

/// Images (batch, height, width, channels) turned around their centre by an angle from `factor`, in whole turns:
/// `RandomRotation(0.1)` turns by at most 36 degrees to either side. In training alone; else the images stay. Whole
/// numbers become float32. As keras.layers.RandomRotation: row r of the global batch gets the same draw however the
/// batch is divided. Throws InvalidArgument on a factor outside of [-1, 1], an unknown fill_mode or interpolation and
/// an input of rank other than 4.
class RandomRotation : public LayerHandle {
 public:
  explicit RandomRotation(RandomRange factor, RandomRotationOptions options = {});
  static RandomRotation from_config(const Config& config);
};

}  // namespace tandem::layers

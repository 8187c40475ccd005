#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/random_range.h"

namespace tandem::layers {

struct RandomZoomOptions {
  RandomRange width_factor = {};           // not given: the height's draw, so that the shape of things stays
  std::string fill_mode = "reflect";       // what stands outside: also "wrap", "constant", "nearest"
  std::string interpolation = "bilinear";  // or "nearest"
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  double fill_value = 0;  // of fill_mode "constant"
  std::string name = {};
};

/// Images (batch, height, width, channels) zoomed around their centre: 1 + a draw from the factors says how much of an
/// axis is seen, so that a negative draw makes things larger. In training alone; else the images stay. Whole numbers
/// become float32. As keras.layers.RandomZoom: row r of the global batch gets the same draw however the batch is
/// divided. Throws InvalidArgument on a factor outside of (-1, 1], an unknown fill_mode or interpolation and an input
/// of rank other than 4.
class RandomZoom : public LayerHandle {
 public:
  explicit RandomZoom(RandomRange height_factor, RandomZoomOptions options = {});
  static RandomZoom from_config(const Config& config);
};

}  // namespace tandem::layers

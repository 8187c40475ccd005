#pragma once
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct DropoutOptions {
  /// Shape of the mask; -1 stands for the input's size, 1 shares one draw along the axis. Empty: the input's shape.
  Shape noise_shape = {};
  /// Draws other masks from the same run's numbers; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// In training sets each element to 0 with probability `rate` and multiplies the others by 1 / (1 - rate); else returns
/// its input (Srivastava et al. 2014). As keras.layers.Dropout. Row r of the global batch has the same mask however the
/// batch is divided. Throws InvalidArgument when rate is not in [0, 1) or noise_shape does not fit the input.
class Dropout : public LayerHandle {
 public:
  explicit Dropout(double rate, DropoutOptions options = {});
  static Dropout from_config(const Config& config);
};

}  // namespace tandem::layers

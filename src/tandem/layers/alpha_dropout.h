#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct AlphaDropoutOptions {
  /// Shape of the mask; -1 stands for the input's size, 1 shares one draw along the axis. Empty: the input's shape.
  Shape noise_shape = {};
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Dropout for networks of SELUs, which keeps mean and variance (Klambauer et al. 2017): in training sets each element
/// with probability `rate` to the least value of SELU, then scales and shifts all; else returns its input. As
/// keras.layers.AlphaDropout. Row r of the global batch has the same mask however the batch is divided. Throws
/// InvalidArgument when rate is not in [0, 1) or noise_shape does not fit the input.
class AlphaDropout : public LayerHandle {
 public:
  explicit AlphaDropout(double rate, AlphaDropoutOptions options = {});
  static AlphaDropout from_config(const Config& config);
};

}  // namespace tandem::layers

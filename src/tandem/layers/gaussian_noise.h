#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct GaussianNoiseOptions {
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// In training adds normal noise of mean 0 and standard deviation `stddev` to each element; else returns its input. As
/// keras.layers.GaussianNoise. Row r of the global batch gets the same noise however the batch is divided. Throws
/// InvalidArgument when stddev is not in [0, 1], as Keras does.
class GaussianNoise : public LayerHandle {
 public:
  explicit GaussianNoise(double stddev, GaussianNoiseOptions options = {});
  static GaussianNoise from_config(const Config& config);
};

}  // namespace tandem::layers

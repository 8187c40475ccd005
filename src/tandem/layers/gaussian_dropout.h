#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct GaussianDropoutOptions {
  /// Draws other numbers of the same run; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// In training multiplies each element by normal noise of mean 1 and standard deviation sqrt(rate / (1 - rate)); else
/// returns its input (Srivastava et al. 2014). As keras.layers.GaussianDropout. Row r of the global batch gets the same
/// noise however the batch is divided. Throws InvalidArgument when rate is not in [0, 1).
class GaussianDropout : public LayerHandle {
 public:
  explicit GaussianDropout(double rate, GaussianDropoutOptions options = {});
  static GaussianDropout from_config(const Config& config);
};

}  // namespace tandem::layers

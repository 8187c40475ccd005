#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct SpatialDropout1DOptions {
  /// Draws other masks from the same run's numbers; what makes a run repeatable is set_random_seed.
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// Dropout of whole channels of inputs (batch, steps, channels): in training sets each channel of a row to 0 with
/// probability `rate` and multiplies the others by 1 / (1 - rate); else returns its input (Tompson et al. 2014). As
/// keras.layers.SpatialDropout1D. Row r of the global batch has the same mask however the batch is divided. Throws
/// InvalidArgument when rate is not in [0, 1) and on an input of rank other than 3.
class SpatialDropout1D : public LayerHandle {
 public:
  explicit SpatialDropout1D(double rate, SpatialDropout1DOptions options = {});
  static SpatialDropout1D from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct ReLUOptions {
  std::optional<double> max_value = {};  // not given: no limit
  double negative_slope = 0;
  double threshold = 0;
  std::string name = {};
};

/// x where x > threshold, at most max_value; else negative_slope * (x - threshold). The shape stays. As
/// keras.layers.ReLU; NaN stays NaN. Throws InvalidArgument on negative settings.
class ReLU : public LayerHandle {
 public:
  explicit ReLU(ReLUOptions options = {});
  static ReLU from_config(const Config& config);
};

}  // namespace tandem::layers

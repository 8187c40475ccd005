#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct LeakyReLUOptions {
  double negative_slope = 0.3;
  std::string name = {};
};

/// x where x > 0, else negative_slope * x. The shape stays. As keras.layers.LeakyReLU (the activation by name has slope
/// 0.2). Throws InvalidArgument on a negative slope.
class LeakyReLU : public LayerHandle {
 public:
  explicit LeakyReLU(LeakyReLUOptions options = {});
  static LeakyReLU from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct ELUOptions {
  double alpha = 1;
  std::string name = {};
};

/// x where x > 0, else alpha * (exp(x) - 1) (Clevert et al. 2016). The shape stays. As keras.layers.ELU. Throws
/// InvalidArgument on an alpha that is not finite.
class ELU : public LayerHandle {
 public:
  explicit ELU(ELUOptions options = {});
  static ELU from_config(const Config& config);
};

}  // namespace tandem::layers

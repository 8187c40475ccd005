#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct PReLUOptions {
  Handle<Initializer> alpha_initializer = "zeros";
  Handle<Regularizer> alpha_regularizer = {};
  Handle<Constraint> alpha_constraint = {};
  std::vector<int64_t> shared_axes = {};  // along which there is one slope; 1 is the first behind the batch
  std::string name = {};
};

/// x where x > 0, else alpha * x, with a learned slope for each position (He et al. 2015). The shape stays. Weight:
/// alpha, of the input's shape without the batch and of size 1 along the shared axes. As keras.layers.PReLU. Throws
/// InvalidArgument on an axis that the input has not, on an unknown size that is not shared, and when an input differs
/// from what it was built for.
class PReLU : public LayerHandle {
 public:
  explicit PReLU(PReLUOptions options = {});
  static PReLU from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct ActivityRegularizationOptions {
  double l1 = 0;
  double l2 = 0;
  std::string name = {};
};

/// Returns its input and adds l1 * sum |x| + l2 * sum x^2, divided by the rows of the batch, to the loss. As
/// keras.layers.ActivityRegularization. Throws InvalidArgument on negative numbers.
class ActivityRegularization : public LayerHandle {
 public:
  explicit ActivityRegularization(ActivityRegularizationOptions options = {});
  static ActivityRegularization from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <string>

#include "tandem/layers/axes.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct UnitNormalizationOptions {
  Axes axis = -1;
  std::string name = {};
};

/// Each row divided by its Euclidean norm over `axis`, one or several; the shape stays, and zeros stay zeros. As
/// keras.layers.UnitNormalization. Throws InvalidArgument on an axis that the input has not or that is the batch.
class UnitNormalization : public LayerHandle {
 public:
  explicit UnitNormalization(UnitNormalizationOptions options = {});
  static UnitNormalization from_config(const Config& config);
};

}  // namespace tandem::layers

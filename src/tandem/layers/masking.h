#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct MaskingOptions {
  std::string name = {};
};

/// Leaves out steps whose features all equal mask_value: they become 0, and the output's mask is false there, for the
/// layers behind it. (batch, ..., features), unchanged in shape. As keras.layers.Masking. Throws InvalidArgument on an
/// input without features.
class Masking : public LayerHandle {
 public:
  explicit Masking(double mask_value = 0.0, MaskingOptions options = {});
  static Masking from_config(const Config& config);
};

}  // namespace tandem::layers

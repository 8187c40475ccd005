#pragma once
#include <cstdint>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct UpSampling1DOptions {
  std::string name = {};
};

/// Sequences (batch, steps, channels) with each step `size` times: (batch, steps * size, channels). As
/// keras.layers.UpSampling1D. Throws InvalidArgument on a size that is not positive, or an input of rank other than 3.
class UpSampling1D : public LayerHandle {
 public:
  explicit UpSampling1D(int64_t size = 2, UpSampling1DOptions options = {});
  static UpSampling1D from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct PermuteOptions {
  std::string name = {};
};

/// Axes in another order: output axis i is input axis dims[i - 1]; axis 0, the batch, stays and is not among dims. As
/// keras.layers.Permute: `Permute({2, 1})` turns (batch, 10, 64) into (batch, 64, 10). The values are moved, so that
/// the output is row-major like every layer's. Throws InvalidArgument unless dims are 1, 2, ... in some order, and on
/// an input of another rank.
class Permute : public LayerHandle {
 public:
  explicit Permute(std::vector<int64_t> dims, PermuteOptions options = {});
  static Permute from_config(const Config& config);
};

}  // namespace tandem::layers

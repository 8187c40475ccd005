#pragma once
#include <cstdint>
#include <initializer_list>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using MaxPooling3DOptions = PoolingOptions<Size3D>;

/// Largest value of each window of volumes (batch, depth, height, width, channels). As keras.layers.MaxPooling3D; what
/// "same" adds never wins. Throws InvalidArgument on sizes that are not positive, an unknown padding, an input of rank
/// other than 5 or, under "valid", smaller than the pool.
class MaxPooling3D : public LayerHandle {
 public:
  explicit MaxPooling3D(Size3D pool_size = 2, MaxPooling3DOptions options = {});
  /// `MaxPooling3D({2})` and `MaxPooling3D({2, 2, 2})`: one number for all axes or three.
  explicit MaxPooling3D(std::initializer_list<int64_t> pool_size, MaxPooling3DOptions options = {});
  static MaxPooling3D from_config(const Config& config);
};

}  // namespace tandem::layers

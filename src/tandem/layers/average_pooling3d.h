#pragma once
#include <cstdint>
#include <initializer_list>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using AveragePooling3DOptions = PoolingOptions<Size3D>;

/// Mean of each window of volumes (batch, depth, height, width, channels). As keras.layers.AveragePooling3D; what
/// "same" adds is not counted. Throws InvalidArgument on sizes that are not positive, an unknown padding, an input of
/// rank other than 5 or, under "valid", smaller than the pool.
class AveragePooling3D : public LayerHandle {
 public:
  explicit AveragePooling3D(Size3D pool_size, AveragePooling3DOptions options = {});
  /// `AveragePooling3D({2})` and `AveragePooling3D({2, 2, 2})`: one number for all axes or three.
  explicit AveragePooling3D(std::initializer_list<int64_t> pool_size, AveragePooling3DOptions options = {});
  static AveragePooling3D from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <cstdint>
#include <initializer_list>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using AveragePooling2DOptions = PoolingOptions<Size2D>;

/// Mean of each window of images (batch, height, width, channels). As keras.layers.AveragePooling2D; what "same" adds
/// is not counted. Throws InvalidArgument on sizes that are not positive, an unknown padding, an input of rank other
/// than 4 or, under "valid", smaller than the pool.
class AveragePooling2D : public LayerHandle {
 public:
  explicit AveragePooling2D(Size2D pool_size = 2, AveragePooling2DOptions options = {});
  /// `AveragePooling2D({2})` and `AveragePooling2D({2, 2})`: one number for both axes or two.
  explicit AveragePooling2D(std::initializer_list<int64_t> pool_size, AveragePooling2DOptions options = {});
  static AveragePooling2D from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <cstdint>
#include <initializer_list>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using MaxPooling2DOptions = PoolingOptions<Size2D>;

/// Largest value of each window of images (batch, height, width, channels). As keras.layers.MaxPooling2D; what "same"
/// adds never wins. Throws InvalidArgument on sizes that are not positive, an unknown padding, an input of rank other
/// than 4 or, under "valid", smaller than the pool.
class MaxPooling2D : public LayerHandle {
 public:
  explicit MaxPooling2D(Size2D pool_size = 2, MaxPooling2DOptions options = {});
  /// `MaxPooling2D({2})` and `MaxPooling2D({2, 2})`: one number for both axes or two.
  explicit MaxPooling2D(std::initializer_list<int64_t> pool_size, MaxPooling2DOptions options = {});
  static MaxPooling2D from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <cstdint>
#include <initializer_list>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using AveragePooling1DOptions = PoolingOptions<Size1D>;

/// Mean of each window of sequences (batch, steps, channels). As keras.layers.AveragePooling1D; what "same" adds is not
/// counted. Throws InvalidArgument on sizes that are not positive, an unknown padding, an input of rank other than 3
/// or, under "valid", smaller than the pool.
class AveragePooling1D : public LayerHandle {
 public:
  explicit AveragePooling1D(Size1D pool_size = 2, AveragePooling1DOptions options = {});
  /// `AveragePooling1D({2})`, as a list of one.
  explicit AveragePooling1D(std::initializer_list<int64_t> pool_size, AveragePooling1DOptions options = {});
  static AveragePooling1D from_config(const Config& config);
};

}  // namespace tandem::layers

#pragma once
#include <cstdint>
#include <initializer_list>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using MaxPooling1DOptions = PoolingOptions<Size1D>;

/// Largest value of each window of sequences (batch, steps, channels). As keras.layers.MaxPooling1D; what "same" adds
/// never wins. Throws InvalidArgument on sizes that are not positive, an unknown padding, an input of rank other than 3
/// or, under "valid", smaller than the pool.
class MaxPooling1D : public LayerHandle {
 public:
  explicit MaxPooling1D(Size1D pool_size = 2, MaxPooling1DOptions options = {});
  /// `MaxPooling1D({2})`, as a list of one.
  explicit MaxPooling1D(std::initializer_list<int64_t> pool_size, MaxPooling1DOptions options = {});
  static MaxPooling1D from_config(const Config& config);
};

}  // namespace tandem::layers

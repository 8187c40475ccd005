#include "tandem/layers/max_pooling1d.h"

#include "tandem/layers/pooling_layer.h"

namespace tandem::layers {

MaxPooling1D::MaxPooling1D(Size1D pool_size, MaxPooling1DOptions options)
    : LayerHandle(make_pooling("MaxPooling1D", &max_pool, pool_size, options)) {}

MaxPooling1D::MaxPooling1D(std::initializer_list<int64_t> pool_size, MaxPooling1DOptions options)
    : MaxPooling1D(Size1D::of("MaxPooling1D: pool_size", pool_size), std::move(options)) {}

MaxPooling1D MaxPooling1D::from_config(const Config& config) {
  return pooling_from<MaxPooling1D, 1>(config, "MaxPooling1D");
}

}  // namespace tandem::layers

#include "tandem/layers/average_pooling1d.h"

#include "tandem/layers/pooling_layer.h"

namespace tandem::layers {

AveragePooling1D::AveragePooling1D(Size1D pool_size, AveragePooling1DOptions options)
    : LayerHandle(make_pooling("AveragePooling1D", &average_pool, pool_size, options)) {}

AveragePooling1D::AveragePooling1D(std::initializer_list<int64_t> pool_size, AveragePooling1DOptions options)
    : AveragePooling1D(Size1D::of("AveragePooling1D: pool_size", pool_size), std::move(options)) {}

AveragePooling1D AveragePooling1D::from_config(const Config& config) {
  return pooling_from<AveragePooling1D, 1>(config, "AveragePooling1D");
}

}  // namespace tandem::layers

#include "tandem/layers/average_pooling2d.h"

#include "tandem/layers/pooling_layer.h"

namespace tandem::layers {

AveragePooling2D::AveragePooling2D(Size2D pool_size, AveragePooling2DOptions options)
    : LayerHandle(make_pooling("AveragePooling2D", &average_pool, pool_size, options)) {}

AveragePooling2D::AveragePooling2D(std::initializer_list<int64_t> pool_size, AveragePooling2DOptions options)
    : AveragePooling2D(Size2D::of("AveragePooling2D: pool_size", pool_size), std::move(options)) {}

AveragePooling2D AveragePooling2D::from_config(const Config& config) {
  return pooling_from<AveragePooling2D, 2>(config, "AveragePooling2D");
}

}  // namespace tandem::layers

#include "tandem/layers/max_pooling2d.h"

#include "tandem/layers/pooling_layer.h"

namespace tandem::layers {

MaxPooling2D::MaxPooling2D(Size2D pool_size, MaxPooling2DOptions options)
    : LayerHandle(make_pooling("MaxPooling2D", &max_pool, pool_size, options)) {}

MaxPooling2D::MaxPooling2D(std::initializer_list<int64_t> pool_size, MaxPooling2DOptions options)
    : MaxPooling2D(Size2D::of("MaxPooling2D: pool_size", pool_size), std::move(options)) {}

MaxPooling2D MaxPooling2D::from_config(const Config& config) {
  return pooling_from<MaxPooling2D, 2>(config, "MaxPooling2D");
}

}  // namespace tandem::layers

#include "tandem/layers/max_pooling3d.h"

#include "tandem/layers/pooling_layer.h"

namespace tandem::layers {

MaxPooling3D::MaxPooling3D(Size3D pool_size, MaxPooling3DOptions options)
    : LayerHandle(make_pooling("MaxPooling3D", &max_pool, pool_size, options)) {}

MaxPooling3D::MaxPooling3D(std::initializer_list<int64_t> pool_size, MaxPooling3DOptions options)
    : MaxPooling3D(Size3D::of("MaxPooling3D: pool_size", pool_size), std::move(options)) {}

MaxPooling3D MaxPooling3D::from_config(const Config& config) {
  return pooling_from<MaxPooling3D, 3>(config, "MaxPooling3D");
}

}  // namespace tandem::layers

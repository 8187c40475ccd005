#include "tandem/layers/average_pooling3d.h"

#include "tandem/layers/pooling_layer.h"

namespace tandem::layers {

AveragePooling3D::AveragePooling3D(Size3D pool_size, AveragePooling3DOptions options)
    : LayerHandle(make_pooling("AveragePooling3D", &average_pool, pool_size, options)) {}

AveragePooling3D::AveragePooling3D(std::initializer_list<int64_t> pool_size, AveragePooling3DOptions options)
    : AveragePooling3D(Size3D::of("AveragePooling3D: pool_size", pool_size), std::move(options)) {}

AveragePooling3D AveragePooling3D::from_config(const Config& config) {
  return pooling_from<AveragePooling3D, 3>(config, "AveragePooling3D");
}

}  // namespace tandem::layers

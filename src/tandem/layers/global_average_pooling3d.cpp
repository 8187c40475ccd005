#include "tandem/layers/global_average_pooling3d.h"

#include "tandem/layers/global_pooling.h"

namespace tandem::layers {

GlobalAveragePooling3D::GlobalAveragePooling3D(GlobalAveragePooling3DOptions options)
    : LayerHandle(make_global_average_pooling("GlobalAveragePooling3D", 3, options)) {}

GlobalAveragePooling3D GlobalAveragePooling3D::from_config(const Config& config) {
  return global_pooling_from<GlobalAveragePooling3D>(config, "GlobalAveragePooling3D");
}

}  // namespace tandem::layers

#include "tandem/layers/global_max_pooling3d.h"

#include "tandem/layers/global_pooling.h"

namespace tandem::layers {

GlobalMaxPooling3D::GlobalMaxPooling3D(GlobalMaxPooling3DOptions options)
    : LayerHandle(make_global_max_pooling("GlobalMaxPooling3D", 3, options)) {}

GlobalMaxPooling3D GlobalMaxPooling3D::from_config(const Config& config) {
  return global_pooling_from<GlobalMaxPooling3D>(config, "GlobalMaxPooling3D");
}

}  // namespace tandem::layers

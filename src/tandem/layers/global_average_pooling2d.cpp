#include "tandem/layers/global_average_pooling2d.h"

#include "tandem/layers/global_pooling.h"

namespace tandem::layers {

GlobalAveragePooling2D::GlobalAveragePooling2D(GlobalAveragePooling2DOptions options)
    : LayerHandle(make_global_average_pooling("GlobalAveragePooling2D", 2, options)) {}

GlobalAveragePooling2D GlobalAveragePooling2D::from_config(const Config& config) {
  return global_pooling_from<GlobalAveragePooling2D>(config, "GlobalAveragePooling2D");
}

}  // namespace tandem::layers

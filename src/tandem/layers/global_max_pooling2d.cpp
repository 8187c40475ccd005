#include "tandem/layers/global_max_pooling2d.h"

#include "tandem/layers/global_pooling.h"

namespace tandem::layers {

GlobalMaxPooling2D::GlobalMaxPooling2D(GlobalMaxPooling2DOptions options)
    : LayerHandle(make_global_max_pooling("GlobalMaxPooling2D", 2, options)) {}

GlobalMaxPooling2D GlobalMaxPooling2D::from_config(const Config& config) {
  return global_pooling_from<GlobalMaxPooling2D>(config, "GlobalMaxPooling2D");
}

}  // namespace tandem::layers

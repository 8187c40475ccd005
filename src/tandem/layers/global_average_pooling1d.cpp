#include "tandem/layers/global_average_pooling1d.h"

#include "tandem/layers/global_pooling.h"

namespace tandem::layers {

GlobalAveragePooling1D::GlobalAveragePooling1D(GlobalAveragePooling1DOptions options)
    : LayerHandle(make_global_average_pooling("GlobalAveragePooling1D", 1, options)) {}

GlobalAveragePooling1D GlobalAveragePooling1D::from_config(const Config& config) {
  return global_pooling_from<GlobalAveragePooling1D>(config, "GlobalAveragePooling1D");
}

}  // namespace tandem::layers

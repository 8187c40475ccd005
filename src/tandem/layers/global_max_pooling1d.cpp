#include "tandem/layers/global_max_pooling1d.h"

#include "tandem/layers/global_pooling.h"

namespace tandem::layers {

GlobalMaxPooling1D::GlobalMaxPooling1D(GlobalMaxPooling1DOptions options)
    : LayerHandle(make_global_max_pooling("GlobalMaxPooling1D", 1, options)) {}

GlobalMaxPooling1D GlobalMaxPooling1D::from_config(const Config& config) {
  return global_pooling_from<GlobalMaxPooling1D>(config, "GlobalMaxPooling1D");
}

}  // namespace tandem::layers

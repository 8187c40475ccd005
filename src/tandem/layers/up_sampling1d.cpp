#include "tandem/layers/up_sampling1d.h"

#include "tandem/layers/repeating_layer.h"

namespace tandem::layers {

UpSampling1D::UpSampling1D(int64_t size, UpSampling1DOptions options)
    : LayerHandle(make_remembered<RepeatingLayer>(options.name, "UpSampling1D", std::vector<int64_t>{size})) {}

UpSampling1D UpSampling1D::from_config(const Config& config) { return UpSampling1D(config.get("size", 2).as_int()); }

}  // namespace tandem::layers

#include "tandem/layers/up_sampling3d.h"

#include "tandem/layers/repeating_layer.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {

UpSampling3D::UpSampling3D(Size3D size, UpSampling3DOptions options)
    : LayerHandle(make_remembered<RepeatingLayer>(options.name, "UpSampling3D", size.numbers())) {}

UpSampling3D::UpSampling3D(std::initializer_list<int64_t> size, UpSampling3DOptions options)
    : UpSampling3D(Size3D::of("UpSampling3D: size", size), std::move(options)) {}

UpSampling3D UpSampling3D::from_config(const Config& config) {
  check_channels_last(config, "UpSampling3D");
  return UpSampling3D(size_from(config, "size", Size3D(2)));
}

}  // namespace tandem::layers

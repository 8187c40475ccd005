#include "tandem/layers/global_average_pooling2d.h"

#include <ATen/ATen.h>

#include "tandem/layers/global_pooling2d.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class GlobalAveragePooling2DLayer : public GlobalPooling2DLayer {
 public:
  using GlobalPooling2DLayer::GlobalPooling2DLayer;
  std::string class_name() const override { return "GlobalAveragePooling2D"; }

 protected:
  Tensor pool(const Tensor& images, bool keepdims) const override { return images.mean({1, 2}, keepdims); }
};

}  // namespace

GlobalAveragePooling2D::GlobalAveragePooling2D(GlobalAveragePooling2DOptions options)
    : LayerHandle(make_remembered<GlobalAveragePooling2DLayer>(options.name, options.keepdims)) {}

GlobalAveragePooling2D GlobalAveragePooling2D::from_config(const Config& config) {
  check_channels_last(config, "GlobalAveragePooling2D");
  return GlobalAveragePooling2D({.keepdims = config.get("keepdims", false).as_bool()});
}

}  // namespace tandem::layers

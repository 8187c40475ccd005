#include "tandem/layers/global_max_pooling2d.h"

#include <ATen/ATen.h>

#include "tandem/layers/global_pooling2d.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class GlobalMaxPooling2DLayer : public GlobalPooling2DLayer {
 public:
  using GlobalPooling2DLayer::GlobalPooling2DLayer;
  std::string class_name() const override { return "GlobalMaxPooling2D"; }

 protected:
  Tensor pool(const Tensor& images, bool keepdims) const override { return images.amax({1, 2}, keepdims); }
};

}  // namespace

GlobalMaxPooling2D::GlobalMaxPooling2D(GlobalMaxPooling2DOptions options)
    : LayerHandle(make_remembered<GlobalMaxPooling2DLayer>(options.name, options.keepdims)) {}

GlobalMaxPooling2D GlobalMaxPooling2D::from_config(const Config& config) {
  check_channels_last(config, "GlobalMaxPooling2D");
  return GlobalMaxPooling2D({.keepdims = config.get("keepdims", false).as_bool()});
}

}  // namespace tandem::layers

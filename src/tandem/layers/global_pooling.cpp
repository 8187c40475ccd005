#include "tandem/layers/global_pooling.h"

#include <ATen/ATen.h>

namespace tandem {
namespace {

Tensor largest(const Tensor& images, c10::IntArrayRef axes, bool keepdims) { return images.amax(axes, keepdims); }
Tensor average(const Tensor& images, c10::IntArrayRef axes, bool keepdims) { return images.mean(axes, keepdims); }

}  // namespace

Config GlobalPoolingLayer::get_config() const {
  return Config::object({{"data_format", "channels_last"}, {"keepdims", keepdims_}});
}

Shape GlobalPoolingLayer::shape_for(const Shape& images) const {
  if (!keepdims_) return {images[0], images.back()};
  Shape out = images;
  for (std::size_t axis = 1; axis <= axes(); ++axis) out[static_cast<int64_t>(axis)] = 1;
  return out;
}

Tensor GlobalPoolingLayer::compute(const Tensor& images) const {
  static constexpr int64_t kSpatial[] = {1, 2, 3};
  return reduce_(images, {kSpatial, axes()}, keepdims_);
}

std::shared_ptr<Layer> make_global_max_pooling(const std::string& class_name, std::size_t axes,
                                               const layers::GlobalPoolingOptions& options) {
  return make_remembered<GlobalPoolingLayer>(options.name, class_name, &largest, axes, options.keepdims);
}

std::shared_ptr<Layer> make_global_average_pooling(const std::string& class_name, std::size_t axes,
                                                   const layers::GlobalPoolingOptions& options) {
  return make_remembered<GlobalPoolingLayer>(options.name, class_name, &average, axes, options.keepdims);
}

}  // namespace tandem

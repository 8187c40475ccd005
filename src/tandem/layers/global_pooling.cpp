#include "tandem/layers/global_pooling.h"

#include <ATen/ATen.h>

#include "tandem/core/mask.h"

namespace tandem {
namespace {

Tensor largest(const Tensor& images, c10::IntArrayRef axes, bool keepdims) { return images.amax(axes, keepdims); }
Tensor average(const Tensor& images, c10::IntArrayRef axes, bool keepdims) { return images.mean(axes, keepdims); }

// The mean of the steps that count; NaN where none does, as in Keras.
Tensor average_of_steps(const Tensor& sequences, c10::IntArrayRef axes, bool keepdims) {
  const Tensor mask = mask_of(sequences);
  if (!mask.defined()) return average(sequences, axes, keepdims);
  const Tensor counted = mask.unsqueeze(-1);  // (rows, steps, 1)
  const Tensor sum = at::where(counted, sequences, at::zeros({}, sequences.options())).sum(axes, keepdims);
  return sum / counted.sum(axes, keepdims).to(sum.scalar_type());
}

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
  return make_remembered<GlobalPoolingLayer>(options.name, class_name, axes == 1 ? &average_of_steps : &average, axes,
                                             options.keepdims);
}

}  // namespace tandem

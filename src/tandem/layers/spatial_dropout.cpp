#include "tandem/layers/spatial_dropout.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/layers/image_layer.h"

namespace tandem {

SpatialDropoutLayer::SpatialDropoutLayer(std::string class_name, std::size_t axes, double rate, const Seed& seed)
    : class_name_(std::move(class_name)), axes_(axes), rate_(rate), seed_(seed) {
  check_rate(class_name_, rate_);
}

Config SpatialDropoutLayer::get_config() const {
  Config config = Config::object({{"rate", rate_}, {"seed", seed_to_config(seed_)}});
  if (axes_ > 1) config.set("data_format", "channels_last");  // Keras's SpatialDropout1D has none
  return config;
}

Shape SpatialDropoutLayer::output_shape(const Shape& input) {
  if (input.rank() != static_cast<int64_t>(axes_) + 2) throw_wrong_rank(*this, axes_, input);
  return input;
}

Tensor SpatialDropoutLayer::call(const Tensor& x, const CallContext& context) {
  Shape mask = output_shape(Shape::of(x.sizes().vec()));
  if (!context.training || rate_ == 0) return x;
  for (std::size_t axis = 1; axis <= axes_; ++axis) mask[static_cast<int64_t>(axis)] = 1;
  return x * kept(mask, rate_, context, seed_, x).mul_(1 / (1 - rate_));
}

}  // namespace tandem

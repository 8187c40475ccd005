#include "tandem/layers/zero_padding.h"

#include <ATen/ATen.h>

namespace tandem {

ZeroPaddingLayer::ZeroPaddingLayer(std::string class_name, Sides padding)
    : ImageLayer(padding.axes().size()), class_name_(std::move(class_name)), padding_(std::move(padding)) {
  padding_.check(class_name_ + ": padding");
}

Config ZeroPaddingLayer::get_config() const {
  return Config::object({{"padding", padding_.to_config()}, {"data_format", "channels_last"}});
}

Shape ZeroPaddingLayer::shape_for(const Shape& images) const {
  Shape out = images;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    int64_t& n = out[static_cast<int64_t>(axis) + 1];
    if (n != Shape::kUnknown) n += padding_.axes()[axis].both();
  }
  return out;
}

Tensor ZeroPaddingLayer::compute(const Tensor& images) const {
  if (padding_.none()) return images;
  return to_channels_last(pad_image(to_channels_first(images), padding_.axes(), 0));
}

}  // namespace tandem

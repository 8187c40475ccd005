#include "tandem/layers/cropping.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

namespace tandem {

CroppingLayer::CroppingLayer(std::string class_name, Sides cropping)
    : ImageLayer(cropping.axes().size()), class_name_(std::move(class_name)), cropping_(std::move(cropping)) {
  cropping_.check(class_name_ + ": cropping");
}

Config CroppingLayer::get_config() const {
  Config config = Config::object({{"cropping", cropping_.to_config()}});
  if (axes() > 1) config.set("data_format", "channels_last");  // Keras's Cropping1D has none
  return config;
}

Shape CroppingLayer::shape_for(const Shape& images) const {
  Shape out = images;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    int64_t& n = out[static_cast<int64_t>(axis) + 1];
    if (n == Shape::kUnknown) continue;
    n -= cropping_.axes()[axis].both();
    if (n <= 0) throw_nothing_left(images);
  }
  return out;
}

Tensor CroppingLayer::compute(const Tensor& images) const {
  Tensor out = images;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    const AxisPadding& cut = cropping_.axes()[axis];
    const int64_t at = static_cast<int64_t>(axis) + 1, left = images.size(at) - cut.both();
    if (left <= 0) throw_nothing_left(Shape::of(images.sizes().vec()));
    out = out.narrow(at, cut.before, left);
  }
  return out.contiguous();
}

void CroppingLayer::throw_nothing_left(const Shape& images) const {
  std::vector<int64_t> cuts;
  for (const AxisPadding& cut : cropping_.axes()) cuts.push_back(cut.both());
  throw_shape_error(*this, c10::str("the input must be larger than what is cut off ", Shape::of(cuts)), images);
}

}  // namespace tandem

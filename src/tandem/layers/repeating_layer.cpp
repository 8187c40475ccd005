#include "tandem/layers/repeating_layer.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/repeat_axes.h"

namespace tandem {

RepeatingLayer::RepeatingLayer(std::string class_name, std::vector<int64_t> size)
    : ImageLayer(size.size()), class_name_(std::move(class_name)), size_(std::move(size)) {
  for (const int64_t n : size_) {
    if (n <= 0) throw InvalidArgument(c10::str(class_name_, ": size must be positive, got ", n));
  }
}

Config RepeatingLayer::get_config() const {
  if (axes() == 1) return Config::object({{"size", size_[0]}});  // as Keras's UpSampling1D
  return Config::object({{"size", Config::list(size_)}, {"data_format", "channels_last"}});
}

Shape RepeatingLayer::shape_for(const Shape& images) const {
  Shape out = images;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    int64_t& n = out[static_cast<int64_t>(axis) + 1];
    if (n != Shape::kUnknown) n *= size_[axis];
  }
  return out;
}

Tensor RepeatingLayer::compute(const Tensor& images) const { return repeat_axes(images, size_); }

}  // namespace tandem

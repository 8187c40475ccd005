#include "tandem/layers/pooling_layer.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

PoolingLayer::PoolingLayer(std::string class_name, Pool pool, const std::vector<int64_t>& pool_size,
                           const std::vector<int64_t>& strides, const std::string& padding)
    : ImageLayer(pool_size.size()),
      class_name_(std::move(class_name)),
      pool_(pool),
      padding_(parse_padding(class_name_, padding)) {
  const auto& steps = strides.empty() ? pool_size : strides;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    windows_.push_back({.size = pool_size[axis], .stride = steps[axis]});
    if (pool_size[axis] <= 0)
      throw InvalidArgument(c10::str(class_name_, ": pool_size must be positive, got ", pool_size[axis]));
    if (steps[axis] <= 0) throw InvalidArgument(c10::str(class_name_, ": strides must be positive, got ", steps[axis]));
  }
}

Config PoolingLayer::get_config() const {
  std::vector<int64_t> sizes, strides;
  for (const Window& window : windows_) {
    sizes.push_back(window.size);
    strides.push_back(window.stride);
  }
  return Config::object({{"pool_size", Config::list(sizes)},
                         {"padding", to_string(padding_)},
                         {"strides", Config::list(strides)},
                         {"data_format", "channels_last"}});
}

Shape PoolingLayer::shape_for(const Shape& images) const {
  Shape out = images;
  std::vector<int64_t> sizes;
  for (const Window& window : windows_) sizes.push_back(window.size);
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    int64_t& n = out[static_cast<int64_t>(axis) + 1];
    n = windows_[axis].outputs(n, padding_);
    if (n != 0) continue;
    throw_shape_error(
        *this, c10::str("with padding 'valid' the input must be at least as large as the pool ", Shape::of(sizes)),
        images);
  }
  return out;
}

Tensor PoolingLayer::compute(const Tensor& images) const {
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    if (images.size(static_cast<int64_t>(axis) + 1) < windows_[axis].size) shape_for(Shape::of(images.sizes().vec()));
  }
  return to_channels_last(pool_(to_channels_first(images), windows_, padding_));
}

}  // namespace tandem

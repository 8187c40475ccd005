#include "tandem/layers/pooling2d.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/serialization.h"

namespace tandem {

Pooling2DLayer::Pooling2DLayer(const std::string& layer, Size2D pool_size, Size2D strides, const std::string& padding)
    : padding_(parse_padding(layer, padding)) {
  if (!strides.given()) strides = pool_size;
  for (int64_t axis : {0, 1}) {
    windows_[axis] = {.size = pool_size[axis], .stride = strides[axis]};
    if (pool_size[axis] <= 0)
      throw InvalidArgument(c10::str(layer, ": pool_size must be positive, got ", pool_size[axis]));
    if (strides[axis] <= 0) throw InvalidArgument(c10::str(layer, ": strides must be positive, got ", strides[axis]));
  }
}

Config Pooling2DLayer::get_config() const {
  return Config::object({{"pool_size", Config::list({windows_[0].size, windows_[1].size})},
                         {"padding", to_string(padding_)},
                         {"strides", Config::list({windows_[0].stride, windows_[1].stride})},
                         {"data_format", "channels_last"}});
}

void Pooling2DLayer::build(const Shape& input) { check_input(input); }

void Pooling2DLayer::check_input(const Shape& input) const {
  if (input.rank() != 4) throw_shape_error(*this, "input must have rank 4 (batch, height, width, channels)", input);
  if (windows_[0].outputs(input[1], padding_) == 0 || windows_[1].outputs(input[2], padding_) == 0) {
    throw_shape_error(*this,
                      c10::str("with padding 'valid' the image must be at least as large as the pool (",
                               windows_[0].size, ", ", windows_[1].size, ")"),
                      input);
  }
}

Shape Pooling2DLayer::output_shape(const Shape& input) {
  check_input(input);
  return {input[0], windows_[0].outputs(input[1], padding_), windows_[1].outputs(input[2], padding_), input[3]};
}

Tensor Pooling2DLayer::call(const Tensor& x, const CallContext&) {
  if (x.dim() != 4 || x.size(1) < windows_[0].size || x.size(2) < windows_[1].size)
    check_input(Shape::of(x.sizes().vec()));
  const Tensor image = to_channels_first(x);
  if (padding_ == Padding::valid) return to_channels_last(pool(image, {}, false));

  // One element more after than before: where the step is above 1 the kernels' ceil mode does just that.
  const std::array<AxisPadding, 2> padding = {windows_[0].padding(x.size(1), padding_),
                                              windows_[1].padding(x.size(2), padding_)};
  const auto uneven_by_one_step = [&](int64_t axis) {
    return !padding[axis].symmetric() && windows_[axis].stride == 1;
  };
  if (uneven_by_one_step(0) || uneven_by_one_step(1)) return to_channels_last(pool_padded(image, padding));
  return to_channels_last(pool(image, padding, true));
}

Pooling2DSettings Pooling2DSettings::from(const Config& config, const std::string& layer) {
  check_channels_last(config, layer);
  return {size2d_from(config, "pool_size", 2), size2d_from(config, "strides", {}),
          config.get("padding", "valid").as_string()};
}

}  // namespace tandem

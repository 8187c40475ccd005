#include "tandem/layers/warp.h"

#include <ATen/ATen.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

/// Coordinates outside of [0, n - 1] brought into it, as TensorFlow's ImageProjectiveTransformV3 does for each mode.
Tensor brought_inside(const Tensor& at, int64_t n, Outside outside) {
  if (outside == Outside::constant) return at;
  const double last = static_cast<double>(n - 1), period = static_cast<double>(n);
  if (outside == Outside::nearest || n == 1) return at.clamp(0, last);
  const Tensor below = at<0, above = at> last;
  Tensor lower, upper;
  if (outside == Outside::wrap) {
    lower = at + period * ((-at / last).trunc() + 1);
    upper = at - period * (at / last).trunc();
  } else {
    const Tensor once = at + 2 * period * (-at / (2 * period)).trunc();
    lower = at::where(once < -period, once + 2 * period, -once - 1);
    const Tensor over = at - 2 * period * (at / (2 * period)).trunc();
    upper = at::where(over >= period, 2 * period - over - 1, over);
  }
  return at::where(below, lower, at::where(above, upper, at)).clamp(0, last);
}

/// The images' pixels at whole coordinates (rows, height, width); fill_value outside.
Tensor pixels_at(const Tensor& images, const Tensor& y, const Tensor& x, double fill_value) {
  const int64_t rows = images.size(0), height = images.size(1), width = images.size(2);
  const Tensor inside = (y >= 0).logical_and_(y < height).logical_and_(x >= 0).logical_and_(x < width);
  const Tensor first = at::arange(rows, y.options().dtype(at::kLong)).mul_(height * width).view({rows, 1, 1});
  const Tensor index = y.clamp(0, height - 1).to(at::kLong) * width + x.clamp(0, width - 1).to(at::kLong) + first;
  const Tensor found = images.reshape({rows * height * width, -1}).index_select(0, index.flatten());
  return at::where(inside.unsqueeze(-1), found.view(images.sizes()), at::scalar_tensor(fill_value, images.options()));
}

}  // namespace

Outside parse_fill_mode(const std::string& layer, const std::string& name) {
  if (name == "reflect") return Outside::reflect;
  if (name == "wrap") return Outside::wrap;
  if (name == "constant") return Outside::constant;
  if (name == "nearest") return Outside::nearest;
  throw_unknown_name(layer + ": fill_mode", name, {"reflect", "wrap", "constant", "nearest"});
}

std::string to_string(Outside outside) {
  switch (outside) {
    case Outside::reflect:
      return "reflect";
    case Outside::wrap:
      return "wrap";
    case Outside::constant:
      return "constant";
    default:
      return "nearest";
  }
}

Tensor warp(const Tensor& images, const Tensor& maps, const WarpOptions& options) {
  if (images.numel() == 0) return images;
  const int64_t height = images.size(1), width = images.size(2);
  const Tensor map = maps.to(images.device(), at::kFloat).view({-1, 6, 1, 1});
  const Tensor x = at::arange(width, map.options()).view({1, 1, width});
  const Tensor y = at::arange(height, map.options()).view({1, height, 1});
  const auto coordinate = [&](int64_t i, int64_t n) {
    return brought_inside(map.select(1, i) * x + map.select(1, i + 1) * y + map.select(1, i + 2), n, options.outside);
  };
  const Tensor from_x = coordinate(0, width), from_y = coordinate(3, height);
  if (options.interpolation == Interpolation::nearest) {
    const auto rounded = [](const Tensor& t) { return (t + at::copysign(at::full_like(t, 0.5), t)).trunc(); };
    return pixels_at(images, rounded(from_y), rounded(from_x), options.fill_value);
  }
  const Tensor left = from_x.floor(), top = from_y.floor();
  const Tensor to_right = (from_x - left).unsqueeze(-1).to(images.scalar_type());
  const Tensor to_bottom = (from_y - top).unsqueeze(-1).to(images.scalar_type());
  const auto line = [&](const Tensor& at_y) {
    return (1 - to_right) * pixels_at(images, at_y, left, options.fill_value) +
           to_right * pixels_at(images, at_y, left + 1, options.fill_value);
  };
  return (1 - to_bottom) * line(top) + to_bottom * line(top + 1);
}

}  // namespace tandem

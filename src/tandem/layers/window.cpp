#include "tandem/layers/window.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cctype>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem {

Padding parse_padding(const std::string& layer, const std::string& name) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "valid") return Padding::valid;
  if (lower == "same") return Padding::same;
  throw_unknown_name(layer + ": padding", name, {"valid", "same"});
}

std::string to_string(Padding padding) { return padding == Padding::same ? "same" : "valid"; }

AxisPadding Window::padding(int64_t n, Padding padding) const {
  if (padding == Padding::valid) return {};
  const int64_t outputs = (n + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((outputs - 1) * stride + extent() - n, 0);
  return {total / 2, total - total / 2};
}

int64_t Window::outputs(int64_t n, Padding padding) const {
  if (n == Shape::kUnknown) return Shape::kUnknown;
  if (padding == Padding::same) return (n + stride - 1) / stride;
  return n < extent() ? 0 : (n - extent()) / stride + 1;
}

Tensor to_channels_first(const Tensor& x) { return x.contiguous().permute({0, 3, 1, 2}); }

Tensor to_channels_last(const Tensor& x) { return x.permute({0, 2, 3, 1}).contiguous(); }

Tensor pad_image(const Tensor& x, const AxisPadding& height, const AxisPadding& width, double value) {
  return at::constant_pad_nd(x, {width.before, width.after, height.before, height.after}, value);
}

}  // namespace tandem

#include "tandem/layers/window.h"

#include <ATen/ATen.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <cctype>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem {

Padding parse_padding(const std::string& layer, const std::string& name, bool causal) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "valid") return Padding::valid;
  if (lower == "same") return Padding::same;
  if (causal && lower == "causal") return Padding::causal;
  if (causal) throw_unknown_name(layer + ": padding", name, {"valid", "same", "causal"});
  throw_unknown_name(layer + ": padding", name, {"valid", "same"});
}

std::string to_string(Padding padding) {
  return padding == Padding::same ? "same" : padding == Padding::causal ? "causal" : "valid";
}

AxisPadding Window::padding(int64_t n, Padding padding) const {
  if (padding == Padding::valid) return {};
  if (padding == Padding::causal) return {extent() - 1, 0};
  const int64_t outputs = (n + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((outputs - 1) * stride + extent() - n, 0);
  return {total / 2, total - total / 2};
}

int64_t Window::outputs(int64_t n, Padding padding) const {
  if (n == Shape::kUnknown) return Shape::kUnknown;
  if (padding != Padding::valid) return (n + stride - 1) / stride;
  return n < extent() ? 0 : (n - extent()) / stride + 1;
}

Tensor to_channels_first(const Tensor& x) {
  c10::SmallVector<int64_t, 5> order{0, x.dim() - 1};
  for (int64_t axis = 1; axis < x.dim() - 1; ++axis) order.push_back(axis);
  return x.contiguous().permute(order);
}

Tensor to_channels_last(const Tensor& x) {
  c10::SmallVector<int64_t, 5> order{0};
  for (int64_t axis = 2; axis < x.dim(); ++axis) order.push_back(axis);
  order.push_back(1);
  return x.permute(order).contiguous();
}

Tensor pad_image(const Tensor& x, c10::ArrayRef<AxisPadding> sides, double value) {
  c10::SmallVector<int64_t, 6> around;  // as constant_pad_nd wants it: from the last axis to the first
  for (std::size_t axis = sides.size(); axis-- > 0;) around.append({sides[axis].before, sides[axis].after});
  return at::constant_pad_nd(x, around, value);
}

}  // namespace tandem

#include "tandem/layers/pooling.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace tandem {
namespace {

using PoolSizes = c10::SmallVector<int64_t, 3>;  // one a spatial axis

PoolSizes pool_sizes(const Windows& windows, int64_t Window::*member) {
  PoolSizes all;
  for (const Window& window : windows) all.push_back(window.*member);
  return all;
}

AxisPaddings paddings_of(const Tensor& image, const Windows& windows, Padding padding) {
  AxisPaddings sides;
  for (std::size_t axis = 0; axis < windows.size(); ++axis) {
    sides.push_back(windows[axis].padding(image.size(static_cast<int64_t>(axis) + 2), padding));
  }
  return sides;
}

PoolSizes before_of(const AxisPaddings& sides) {
  PoolSizes before;
  for (const AxisPadding& side : sides) before.push_back(side.before);
  return before;
}

/// LibTorch's kernels pad both ends by `before` and, in ceil mode, let the last window reach over the end, where
/// nothing is counted. That is one element more after than before, as "same" wants it, unless the step is 1: then a
/// padded copy is needed.
bool needs_copy(const Windows& windows, const AxisPaddings& sides) {
  for (std::size_t axis = 0; axis < windows.size(); ++axis) {
    if (!sides[axis].symmetric() && windows[axis].stride == 1) return true;
  }
  return false;
}

Tensor max_pool_of(const Tensor& image, const Windows& windows, const PoolSizes& before, bool ceil_mode) {
  const PoolSizes sizes = pool_sizes(windows, &Window::size), strides = pool_sizes(windows, &Window::stride);
  return windows.size() == 3 ? at::max_pool3d(image, sizes, strides, before, /*dilation=*/1, ceil_mode)
                             : at::max_pool2d(image, sizes, strides, before, /*dilation=*/1, ceil_mode);
}

/// `divisor`: of each window's sum; none: the number of the image's elements in it.
Tensor average_pool_of(const Tensor& image, const Windows& windows, const PoolSizes& before, bool ceil_mode,
                       std::optional<int64_t> divisor) {
  return at::avg_pool2d(image, pool_sizes(windows, &Window::size), pool_sizes(windows, &Window::stride), before,
                        ceil_mode, /*count_include_pad=*/false, divisor);
}

/// For each position of `window` along an axis of n, how many of its elements are the image's and not padding.
Tensor inside(const Window& window, const AxisPadding& side, int64_t n) {
  const Tensor first = at::arange(window.outputs(n, Padding::same)).mul_(window.stride).sub_(side.before);
  return at::clamp_max(first + window.size, n) - at::clamp_min(first, 0);
}

Tensor max_pool_spatial(const Tensor& image, const Windows& windows, Padding padding) {
  const AxisPaddings sides = paddings_of(image, windows, padding);
  if (!needs_copy(windows, sides)) return max_pool_of(image, windows, before_of(sides), padding == Padding::same);
  const double lowest = -std::numeric_limits<double>::infinity();
  return max_pool_of(pad_image(image, sides, lowest), windows, PoolSizes(windows.size(), 0), false);
}

Tensor average_pool_image(const Tensor& image, const Windows& windows, Padding padding) {
  const AxisPaddings sides = paddings_of(image, windows, padding);
  if (!needs_copy(windows, sides)) {
    return average_pool_of(image, windows, before_of(sides), padding == Padding::same, std::nullopt);
  }
  const Tensor sums =
      average_pool_of(pad_image(image, sides, 0), windows, PoolSizes(windows.size(), 0), false, /*divisor=*/1);
  const Tensor counts =
      inside(windows[0], sides[0], image.size(2)).unsqueeze(1) * inside(windows[1], sides[1], image.size(3));
  return sums / counts.to(image.options());
}

/// Each plane as an image, then all planes' rows over the depth: the mean of a box is the mean of its planes' means.
/// LibTorch's kernel for volumes has no channels-last form.
Tensor average_pool_volume(const Tensor& volume, const Windows& windows, Padding padding) {
  const int64_t rows = volume.size(0), depth = volume.size(2), channels = volume.size(1);
  const Tensor planes = volume.permute({0, 2, 3, 4, 1}).flatten(0, 1).permute({0, 3, 1, 2});
  const Tensor means = average_pool_image(planes, {windows[1], windows[2]}, padding);
  const int64_t height = means.size(2), width = means.size(3);
  const Tensor over_depth = means.permute({0, 2, 3, 1}).reshape({rows, depth, height * width, channels});
  return average_pool_image(over_depth.permute({0, 3, 1, 2}), {windows[0], Window{}}, padding)
      .unflatten(3, {height, width});
}

Tensor average_pool_spatial(const Tensor& image, const Windows& windows, Padding padding) {
  return windows.size() == 3 ? average_pool_volume(image, windows, padding)
                             : average_pool_image(image, windows, padding);
}

/// Steps are pooled as images of height 1: LibTorch's kernels for them have no channels-last form.
template <class Pool>
Tensor with_two_axes(const Tensor& image, const Windows& windows, Padding padding, Pool pool) {
  if (windows.size() > 1) return pool(image, windows, padding);
  return pool(image.unsqueeze(2), {Window{}, windows[0]}, padding).squeeze(2);
}

}  // namespace

Tensor max_pool(const Tensor& image, const Windows& windows, Padding padding) {
  return with_two_axes(image, windows, padding, max_pool_spatial);
}

Tensor average_pool(const Tensor& image, const Windows& windows, Padding padding) {
  return with_two_axes(image, windows, padding, average_pool_spatial);
}

}  // namespace tandem

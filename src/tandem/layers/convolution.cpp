#include "tandem/layers/convolution.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/util/SmallVector.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {
namespace {

using Sizes = c10::SmallVector<int64_t, 3>;  // one a spatial axis, without a heap allocation

Sizes of_each(const Windows& windows, int64_t Window::*member) {
  Sizes all;
  for (const Window& window : windows) all.push_back(window.*member);
  return all;
}

/// Where there is no AVX-512, oneDNN's gradient of a pointwise kernel whose channels are no multiples of 8 writes
/// beyond its end (jit_avx2_1x1_convolution_bwd_weights of LibTorch 2.15).
bool writes_beyond_its_end(const Tensor& kernel) {
  return !__builtin_cpu_supports("avx512f") && (kernel.size(0) % 8 != 0 || kernel.size(1) % 8 != 0);
}

/// A pointwise convolution of fewer than 16 rows on one thread: LibTorch does not give it to oneDNN but takes a path
/// that copies the image. It is a matrix product over the channels, which needs no copy.
bool is_product(const Tensor& x, const Tensor& kernel, const Windows& windows, int64_t groups) {
  const auto is_point = [](const Window& window) { return window.size == 1; };
  const auto steps = [](const Window& window) { return window.stride != 1; };
  if (groups != 1 || !x.device().is_cpu() || !std::all_of(windows.begin(), windows.end(), is_point)) return false;
  if (writes_beyond_its_end(kernel)) return true;
  return std::none_of(windows.begin(), windows.end(), steps) && x.size(0) < 16 && at::get_num_threads() == 1;
}

/// A small image alone: LibTorch takes its native kernels, whose backward wants row-major tensors where the order of a
/// single channel leaves it in doubt. The copies are as small as the image.
bool is_small_and_alone(const Tensor& x, int64_t groups) {
  constexpr int64_t kSmall = 20480;  // elements; LibTorch's own limit
  return x.size(0) == 1 && x.numel() <= kSmall && groups == 1 && x.device().is_cpu();
}

Tensor product_over_channels(Tensor x, Tensor kernel, const std::optional<Tensor>& bias, const Windows& windows) {
  while (kernel.dim() > 2) kernel = kernel.select(-1, 0);
  for (std::size_t axis = 0; axis < windows.size(); ++axis) {
    if (const int64_t stride = windows[axis].stride; stride != 1)
      x = x.slice(static_cast<int64_t>(axis) + 1, {}, {}, stride);
  }
  Tensor product = at::matmul(x, kernel.t());
  if (bias) product.add_(*bias);
  return product;
}

}  // namespace

Windows make_windows(const std::string& layer, const std::vector<int64_t>& kernel_size,
                     const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation_rate) {
  const auto must_be_positive = [&](const char* what, int64_t n) {
    if (n <= 0) throw InvalidArgument(c10::str(layer, ": ", what, " must be positive, got ", n));
  };
  Windows windows;
  for (std::size_t axis = 0; axis < kernel_size.size(); ++axis) {
    must_be_positive("kernel_size", kernel_size[axis]);
    must_be_positive("strides", strides[axis]);
    must_be_positive("dilation_rate", dilation_rate[axis]);
    windows.push_back({kernel_size[axis], strides[axis], dilation_rate[axis]});
  }
  return windows;
}

Tensor convolve(const Tensor& x, const Tensor& kernel, const std::optional<Tensor>& bias, const Windows& windows,
                Padding padding, int64_t groups) {
  if (is_product(x, kernel, windows, groups)) return product_over_channels(x, kernel, bias, windows);
  if (windows.size() == 1) {  // as an image of height 1: LibTorch would copy sequences to row-major ones
    return convolve(x.unsqueeze(1), kernel.unsqueeze(2), bias, {Window{}, windows[0]}, padding, groups).squeeze(1);
  }
  Sizes before;
  AxisPaddings sides;
  for (std::size_t axis = 0; axis < windows.size(); ++axis) {
    sides.push_back(windows[axis].padding(x.size(static_cast<int64_t>(axis) + 1), padding));
    before.push_back(sides.back().before);
  }
  Tensor image = to_channels_first(x);
  if (!std::all_of(sides.begin(), sides.end(), [](const AxisPadding& side) { return side.symmetric(); })) {
    // The convolution pads both ends alike: only uneven padding costs a copy.
    image = pad_image(image, sides, 0);
    std::fill(before.begin(), before.end(), 0);
  }
  const bool row_major = is_small_and_alone(x, groups);
  if (row_major) image = image.contiguous();
  const Sizes none(windows.size(), 0);
  return to_channels_last(at::convolution(image, row_major ? kernel.contiguous() : kernel, bias,
                                          of_each(windows, &Window::stride), before,
                                          of_each(windows, &Window::dilation), /*transposed=*/false, none, groups));
}

Tensor convolve_transposed(const Tensor& x, const Tensor& kernel, const std::optional<Tensor>& bias,
                           const Windows& windows, c10::ArrayRef<int64_t> outputs) {
  if (windows.size() == 1) {
    return convolve_transposed(x.unsqueeze(1), kernel.unsqueeze(2), bias, {Window{}, windows[0]}, {1, outputs[0]})
        .squeeze(1);
  }
  Sizes cut, extra;  // the kernel cuts both ends alike and may add elements at the end
  for (std::size_t axis = 0; axis < windows.size(); ++axis) {
    const Window& window = windows[axis];
    const int64_t full = (x.size(static_cast<int64_t>(axis) + 1) - 1) * window.stride + window.extent();
    cut.push_back(std::max<int64_t>(full - outputs[axis], 0) / 2);
    extra.push_back(std::max<int64_t>(outputs[axis] - (full - 2 * cut[axis]), 0));
  }
  const bool row_major = is_small_and_alone(x, /*groups=*/1);
  const Tensor image = to_channels_first(x);
  Tensor out = at::convolution(row_major ? image.contiguous() : image, row_major ? kernel.contiguous() : kernel, bias,
                               of_each(windows, &Window::stride), cut, of_each(windows, &Window::dilation),
                               /*transposed=*/true, extra, /*groups=*/1);
  // Where the larger half is behind, one element is left over: only this uneven cut costs a copy.
  for (std::size_t axis = 0; axis < windows.size(); ++axis) {
    const int64_t dim = static_cast<int64_t>(axis) + 2;
    if (out.size(dim) > outputs[axis]) out = out.narrow(dim, 0, outputs[axis]);
  }
  return to_channels_last(out);
}

}  // namespace tandem

#pragma once
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/window.h"

/// Convolutions of images (rows, spatial axes, channels) with one to three spatial axes. They take kernels in
/// LibTorch's order of axes, as a view of a weight that lies in memory as LibTorch wants it, so that nothing is copied.
namespace tandem {

/// One window a spatial axis.
using Windows = c10::SmallVector<Window, 3>;

/// Throws InvalidArgument naming `layer` on a size, stride or dilation that is not positive.
Windows make_windows(const std::string& layer, const std::vector<int64_t>& kernel_size,
                     const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation_rate);

/// `kernel`: (out, in / groups, spatial sizes).
Tensor convolve(const Tensor& x, const Tensor& kernel, const std::optional<Tensor>& bias, const Windows& windows,
                Padding padding, int64_t groups);

/// The transposed convolution, to `outputs` elements along the spatial axes: the convolution whose gradient it is pads
/// or cuts the full result, (n - 1) * stride + extent, by the smaller half before. `kernel`: (in, out, spatial sizes).
Tensor convolve_transposed(const Tensor& x, const Tensor& kernel, const std::optional<Tensor>& bias,
                           const Windows& windows, c10::ArrayRef<int64_t> outputs);

}  // namespace tandem

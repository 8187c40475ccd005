#pragma once
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <cstdint>
#include <string>

#include "tandem/core/tensor.h"

/// What convolution and pooling share: how a window moves along an axis, as Keras counts it.
namespace tandem {

enum class Padding { valid, same, causal };

/// "valid", "same" or, where `causal`, "causal", in any case. Throws InvalidArgument naming `layer` and the nearest
/// name.
Padding parse_padding(const std::string& layer, const std::string& name, bool causal = false);
std::string to_string(Padding padding);

/// Elements added before and after an axis.
struct AxisPadding {
  int64_t before = 0, after = 0;
  int64_t both() const { return before + after; }
  bool symmetric() const { return before == after; }
  bool operator==(const AxisPadding&) const = default;
};

/// One a spatial axis, without a heap allocation.
using AxisPaddings = c10::SmallVector<AxisPadding, 3>;

/// A window of `size` elements, `dilation` apart, that moves by `stride`.
struct Window {
  int64_t size = 1, stride = 1, dilation = 1;

  /// Elements from the first to the last that the window covers.
  int64_t extent() const { return (size - 1) * dilation + 1; }
  /// Same: what makes the output ceil(n / stride) long, the smaller half before (TensorFlow's rule); causal: before
  /// alone, so that no output sees a later element; valid: none.
  AxisPadding padding(int64_t n, Padding padding) const;
  /// Positions along an axis of n; Shape::kUnknown when n is. 0 or less: the window does not fit.
  int64_t outputs(int64_t n, Padding padding) const;
};

/// A batch (rows, spatial axes, channels) as LibTorch wants it, (rows, channels, spatial axes), without moving it:
/// contiguous memory becomes LibTorch's channels-last layout. Copies only what was not contiguous.
Tensor to_channels_first(const Tensor& x);
/// The way back. Contiguous without a copy where the kernel kept the layout, as those for float32 on the CPU do.
Tensor to_channels_last(const Tensor& x);
/// `x` in LibTorch's order of axes with `value` around its image, `sides` for each spatial axis.
Tensor pad_image(const Tensor& x, c10::ArrayRef<AxisPadding> sides, double value);

}  // namespace tandem

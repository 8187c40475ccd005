#include "tandem/layers/transposed_convolution.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>

#include "tandem/core/error.h"
#include "tandem/layers/kernel_layout.h"

namespace tandem {

TransposedConvolutionLayer::TransposedConvolutionLayer(std::string class_name, ConvolutionSettings settings,
                                                       int64_t filters, std::vector<int64_t> output_padding,
                                                       WeightOptions kernel)
    : ConvolutionLayer(std::move(class_name), std::move(settings)),
      filters_(filters),
      output_padding_(std::move(output_padding)),
      kernel_options_(std::move(kernel)) {
  kernel_options_.memory_order = channels_last_kernel(rank());
  must_be_positive("filters", filters_);
  refuse_dilated_strides();
  if (!output_padding_.empty()) check_output_padding();
}

Config TransposedConvolutionLayer::get_config() const {
  Config config = ConvolutionLayer::get_config();
  config.set("filters", filters_);
  config.set("output_padding", output_padding_.empty() ? Config() : Config::list(output_padding_));
  add_weight_config(config, "kernel", kernel_options_);
  return config;
}

void TransposedConvolutionLayer::add_kernels(const Shape&) {
  kernel_ = add_weight("kernel", kernel_shape(filters_, in_channels()), kernel_options_);
}

int64_t TransposedConvolutionLayer::outputs(std::size_t axis, int64_t n) const {
  if (n == Shape::kUnknown) return n;
  const Window& window = settings().windows[axis];
  const bool same = settings().padding == Padding::same;
  if (output_padding_.empty())
    return n * window.stride + (same ? 0 : std::max<int64_t>(window.extent() - window.stride, 0));
  return (n - 1) * window.stride + (same ? window.extent() % 2 : window.extent()) + output_padding_[axis];
}

Tensor TransposedConvolutionLayer::convolve_with(const Tensor& x, const std::optional<Tensor>& bias) {
  std::array<int64_t, 3> sizes;
  for (std::size_t axis = 0; axis < rank(); ++axis) sizes[axis] = outputs(axis, x.size(static_cast<int64_t>(axis) + 1));
  return convolve_transposed(x, kernel_view(kernel_.value()), bias, settings().windows, {sizes.data(), rank()});
}

void TransposedConvolutionLayer::check_output_padding() const {
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    const Window& window = settings().windows[axis];
    const int64_t padding = output_padding_[axis];
    if (padding < 0 || padding >= window.stride) {
      throw InvalidArgument(c10::str(class_name(), ": output_padding must be at least 0 and below the stride (",
                                     window.stride, "), got ", padding));
    }
    // Else the last column of the input would lie outside of the output.
    if (padding == 0 && settings().padding == Padding::same && window.extent() % 2 == 0) {
      throw InvalidArgument(c10::str(class_name(),
                                     ": with padding 'same' and a kernel that covers an even number of elements (",
                                     window.extent(), ") output_padding must be positive, got 0"));
    }
  }
}

}  // namespace tandem

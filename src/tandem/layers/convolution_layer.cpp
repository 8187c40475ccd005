#include "tandem/layers/convolution_layer.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/activity_loss.h"
#include "tandem/layers/spatial_size.h"

namespace tandem {
ConvolutionLayer::ConvolutionLayer(std::string class_name, ConvolutionSettings settings)
    : class_name_(std::move(class_name)), settings_(std::move(settings)) {
  settings_.activation.check();
  settings_.activity_regularizer = resolved(settings_.activity_regularizer);
}

Config ConvolutionLayer::get_config() const {
  Config config = Config::object({{"kernel_size", each(&Window::size)},
                                  {"strides", each(&Window::stride)},
                                  {"padding", to_string(settings_.padding)},
                                  {"data_format", "channels_last"},
                                  {"dilation_rate", each(&Window::dilation)},
                                  {"activation", to_config(settings_.activation, class_name_)},
                                  {"use_bias", settings_.use_bias}});
  add_weight_config(config, "bias", settings_.bias);
  config.set("activity_regularizer", to_config(settings_.activity_regularizer));
  return config;
}

void ConvolutionLayer::build(const Shape& input) {
  if (input.rank() != static_cast<int64_t>(rank()) + 2) {
    throw_shape_error(
        *this, c10::str("input must have rank ", rank() + 2, " (batch, ", spatial_axes(rank()), ", channels)"), input);
  }
  if (input.back() <= 0) throw_shape_error(*this, "the channels of the input must be known and positive", input);
  in_ = input.back();
  check_fits(input);
  add_kernels(input);
  if (settings_.use_bias) bias_ = add_weight("bias", {out_channels()}, settings_.bias);
}

Shape ConvolutionLayer::output_shape(const Shape& input) {
  check_input(input);
  check_fits(input);
  Shape out = input;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    out[static_cast<int64_t>(axis) + 1] = outputs(axis, input[static_cast<int64_t>(axis) + 1]);
  }
  out[-1] = out_channels();
  return out;
}

Tensor ConvolutionLayer::call(const Tensor& x, const CallContext& context) {
  bool fits = x.dim() == static_cast<int64_t>(rank()) + 2 && x.size(-1) == in_;
  for (std::size_t axis = 0; fits && axis < rank(); ++axis) {
    fits = outputs(axis, x.size(static_cast<int64_t>(axis) + 1)) != 0;
  }
  if (!fits) {
    const Shape got = Shape::of(x.sizes().vec());
    check_input(got);
    check_fits(got);
  }
  const auto bias = bias_.defined() ? std::optional(bias_.value()) : std::nullopt;
  const Tensor out = settings_.activation(convolve_with(x, bias), context);
  add_activity_loss(settings_.activity_regularizer, out, context);
  return out;
}

int64_t ConvolutionLayer::outputs(std::size_t axis, int64_t n) const {
  return settings_.windows[axis].outputs(n, settings_.padding);
}

void ConvolutionLayer::must_be_positive(const char* what, int64_t n) const {
  if (n <= 0) throw InvalidArgument(c10::str(class_name_, ": ", what, " must be positive, got ", n));
}

void ConvolutionLayer::refuse_dilated_strides() const {
  const auto any_above_1 = [&](int64_t Window::*member) {
    return std::any_of(settings_.windows.begin(), settings_.windows.end(),
                       [&](const Window& window) { return window.*member > 1; });
  };
  if (any_above_1(&Window::stride) && any_above_1(&Window::dilation))
    throw InvalidArgument(class_name_ + ": strides and dilation_rate must not both be above 1");
}

Shape ConvolutionLayer::kernel_shape(int64_t in, int64_t out) const {
  std::vector<int64_t> sizes;
  for (const Window& window : settings_.windows) sizes.push_back(window.size);
  sizes.push_back(in);
  sizes.push_back(out);
  return Shape::of(sizes);
}

void ConvolutionLayer::check_input(const Shape& input) const {
  if (input.rank() != static_cast<int64_t>(rank()) + 2 || input.back() != in_) {
    throw_shape_error(
        *this, c10::str("input must be (batch, ", spatial_axes(rank()), ", ", in_, "), as when it was built"), input);
  }
}

void ConvolutionLayer::check_fits(const Shape& input) const {
  std::vector<int64_t> extents;
  for (const Window& window : settings_.windows) extents.push_back(window.extent());
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (outputs(axis, input[static_cast<int64_t>(axis) + 1]) != 0) continue;
    throw_shape_error(*this,
                      c10::str("with padding '", to_string(settings_.padding),
                               "' the input must be at least as large as the kernel ", Shape::of(extents)),
                      input);
  }
}

Config ConvolutionLayer::each(int64_t Window::*member) const {
  std::vector<int64_t> numbers;
  for (const Window& window : settings_.windows) numbers.push_back(window.*member);
  return Config::list(numbers);
}

}  // namespace tandem

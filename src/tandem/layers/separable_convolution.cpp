#include "tandem/layers/separable_convolution.h"

#include "tandem/layers/kernel_layout.h"

namespace tandem {

SeparableConvolutionLayer::SeparableConvolutionLayer(std::string class_name, ConvolutionSettings settings,
                                                     int64_t filters, int64_t depth_multiplier, WeightOptions depthwise,
                                                     WeightOptions pointwise)
    : ConvolutionLayer(std::move(class_name), std::move(settings)),
      filters_(filters),
      multiplier_(depth_multiplier),
      depthwise_options_(std::move(depthwise)),
      pointwise_options_(std::move(pointwise)),
      pointwise_windows_(rank()) {
  depthwise_options_.memory_order = depthwise_kernel_order(rank());
  pointwise_options_.memory_order = channels_last_kernel(rank());
  must_be_positive("filters", filters_);
  must_be_positive("depth_multiplier", multiplier_);
}

Config SeparableConvolutionLayer::get_config() const {
  Config config = ConvolutionLayer::get_config();
  config.set("filters", filters_);
  config.set("depth_multiplier", multiplier_);
  add_weight_config(config, "depthwise", depthwise_options_);
  add_weight_config(config, "pointwise", pointwise_options_);
  return config;
}

void SeparableConvolutionLayer::add_kernels(const Shape&) {
  depthwise_ = add_weight("depthwise_kernel", kernel_shape(in_channels(), multiplier_), depthwise_options_);
  std::vector<int64_t> pointwise(rank(), 1);
  pointwise.insert(pointwise.end(), {in_channels() * multiplier_, filters_});
  pointwise_ = add_weight("pointwise_kernel", Shape::of(pointwise), pointwise_options_);
}

Tensor SeparableConvolutionLayer::convolve_with(const Tensor& x, const std::optional<Tensor>& bias) {
  const Tensor apart = convolve(x, depthwise_kernel_view(depthwise_.value()), std::nullopt, settings().windows,
                                settings().padding, in_channels());
  return convolve(apart, kernel_view(pointwise_.value()), bias, pointwise_windows_, Padding::valid, /*groups=*/1);
}

}  // namespace tandem

#include "tandem/layers/depthwise_convolution.h"

#include "tandem/layers/kernel_layout.h"

namespace tandem {

DepthwiseConvolutionLayer::DepthwiseConvolutionLayer(std::string class_name, ConvolutionSettings settings,
                                                     int64_t depth_multiplier, WeightOptions kernel)
    : ConvolutionLayer(std::move(class_name), std::move(settings)),
      multiplier_(depth_multiplier),
      kernel_options_(std::move(kernel)) {
  kernel_options_.memory_order = depthwise_kernel_order(rank());
  must_be_positive("depth_multiplier", multiplier_);
}

Config DepthwiseConvolutionLayer::get_config() const {
  Config config = ConvolutionLayer::get_config();
  config.set("depth_multiplier", multiplier_);
  add_weight_config(config, "depthwise", kernel_options_);
  return config;
}

void DepthwiseConvolutionLayer::add_kernels(const Shape&) {
  kernel_ = add_weight("kernel", kernel_shape(in_channels(), multiplier_), kernel_options_);
}

Tensor DepthwiseConvolutionLayer::convolve_with(const Tensor& x, const std::optional<Tensor>& bias) {
  return convolve(x, depthwise_kernel_view(kernel_.value()), bias, settings().windows, settings().padding,
                  in_channels());
}

}  // namespace tandem

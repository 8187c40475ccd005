#include "tandem/layers/depthwise_conv2d.h"

#include <ATen/ATen.h>

#include "tandem/layers/convolution_layer.h"
#include "tandem/layers/depthwise_kernel.h"

namespace tandem::layers {
namespace {

class DepthwiseConv2DLayer : public ConvolutionLayer {
 public:
  DepthwiseConv2DLayer(const Size2D& kernel_size, const DepthwiseConv2DOptions& options)
      : ConvolutionLayer("DepthwiseConv2D", convolution_settings("DepthwiseConv2D", kernel_size, options)),
        multiplier_(options.depth_multiplier),
        kernel_options_{.initializer = options.depthwise_initializer,
                        .regularizer = options.depthwise_regularizer,
                        .constraint = options.depthwise_constraint,
                        .memory_order = kDepthwiseMemoryOrder} {
    must_be_positive("depth_multiplier", multiplier_);
  }

  Config get_config() const override {
    Config config = ConvolutionLayer::get_config();
    config.set("depth_multiplier", multiplier_);
    add_weight_config(config, "depthwise", kernel_options_);
    return config;
  }

 protected:
  void add_kernels(const Shape&) override {
    kernel_ = add_weight("kernel", kernel_shape(in_channels(), multiplier_), kernel_options_);
  }

  int64_t out_channels() const override { return in_channels() * multiplier_; }

  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override {
    return convolve(x, depthwise_kernel_view(kernel_.value()), bias, settings().windows, settings().padding,
                    in_channels());
  }

 private:
  int64_t multiplier_;
  WeightOptions kernel_options_;
  Weight kernel_;
};

}  // namespace

DepthwiseConv2D::DepthwiseConv2D(Size2D kernel_size, DepthwiseConv2DOptions options)
    : LayerHandle(make_remembered<DepthwiseConv2DLayer>(options.name, kernel_size, options)) {}

DepthwiseConv2D DepthwiseConv2D::from_config(const Config& config) {
  auto options = convolution_options_from<DepthwiseConv2DOptions>(config, "DepthwiseConv2D");
  const WeightOptions kernel = weight_options_from(config, "depthwise", "glorot_uniform");
  options.depth_multiplier = config.get("depth_multiplier", 1).as_int();
  options.depthwise_initializer = kernel.initializer;
  options.depthwise_regularizer = kernel.regularizer;
  options.depthwise_constraint = kernel.constraint;
  return DepthwiseConv2D(size2d_from(config, "kernel_size", {}), options);
}

}  // namespace tandem::layers

#include "tandem/layers/separable_conv2d.h"

#include <ATen/ATen.h>

#include "tandem/layers/convolution_layer.h"
#include "tandem/layers/depthwise_kernel.h"

namespace tandem::layers {
namespace {

class SeparableConv2DLayer : public ConvolutionLayer {
 public:
  SeparableConv2DLayer(int64_t filters, const Size2D& kernel_size, const SeparableConv2DOptions& options)
      : ConvolutionLayer("SeparableConv2D", convolution_settings("SeparableConv2D", kernel_size, options)),
        filters_(filters),
        multiplier_(options.depth_multiplier),
        depthwise_options_{.initializer = options.depthwise_initializer,
                           .regularizer = options.depthwise_regularizer,
                           .constraint = options.depthwise_constraint,
                           .memory_order = kDepthwiseMemoryOrder},
        pointwise_options_{.initializer = options.pointwise_initializer,
                           .regularizer = options.pointwise_regularizer,
                           .constraint = options.pointwise_constraint,
                           .memory_order = {3, 0, 1, 2}} {
    must_be_positive("filters", filters_);
    must_be_positive("depth_multiplier", multiplier_);
  }

  Config get_config() const override {
    Config config = ConvolutionLayer::get_config();
    config.set("filters", filters_);
    config.set("depth_multiplier", multiplier_);
    add_weight_config(config, "depthwise", depthwise_options_);
    add_weight_config(config, "pointwise", pointwise_options_);
    return config;
  }

 protected:
  void add_kernels(const Shape&) override {
    depthwise_ = add_weight("depthwise_kernel", kernel_shape(in_channels(), multiplier_), depthwise_options_);
    pointwise_ = add_weight("pointwise_kernel", {1, 1, in_channels() * multiplier_, filters_}, pointwise_options_);
  }

  int64_t out_channels() const override { return filters_; }

  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override {
    const Tensor apart = convolve(x, depthwise_kernel_view(depthwise_.value()), std::nullopt, settings().windows,
                                  settings().padding, in_channels());
    return convolve(apart, pointwise_.value().permute({3, 2, 0, 1}), bias, Windows(2), Padding::valid, /*groups=*/1);
  }

 private:
  int64_t filters_, multiplier_;
  WeightOptions depthwise_options_, pointwise_options_;
  Weight depthwise_, pointwise_;
};

}  // namespace

SeparableConv2D::SeparableConv2D(int64_t filters, Size2D kernel_size, SeparableConv2DOptions options)
    : LayerHandle(make_remembered<SeparableConv2DLayer>(options.name, filters, kernel_size, options)) {}

SeparableConv2D SeparableConv2D::from_config(const Config& config) {
  auto options = convolution_options_from<SeparableConv2DOptions>(config, "SeparableConv2D");
  const WeightOptions depthwise = weight_options_from(config, "depthwise", "glorot_uniform");
  const WeightOptions pointwise = weight_options_from(config, "pointwise", "glorot_uniform");
  options.depth_multiplier = config.get("depth_multiplier", 1).as_int();
  options.depthwise_initializer = depthwise.initializer;
  options.pointwise_initializer = pointwise.initializer;
  options.depthwise_regularizer = depthwise.regularizer;
  options.pointwise_regularizer = pointwise.regularizer;
  options.depthwise_constraint = depthwise.constraint;
  options.pointwise_constraint = pointwise.constraint;
  return SeparableConv2D(config.at("filters").as_int(), size2d_from(config, "kernel_size", {}), options);
}

}  // namespace tandem::layers

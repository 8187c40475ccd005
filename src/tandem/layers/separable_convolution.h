#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tandem/layers/convolution_layer.h"
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem {

/// SeparableConv1D and SeparableConv2D: a depthwise convolution without bias, whose channels a pointwise one mixes.
class SeparableConvolutionLayer : public ConvolutionLayer {
 public:
  /// Throws InvalidArgument on numbers that are not positive.
  SeparableConvolutionLayer(std::string class_name, ConvolutionSettings settings, int64_t filters,
                            int64_t depth_multiplier, WeightOptions depthwise, WeightOptions pointwise);

  Config get_config() const override;

 protected:
  void add_kernels(const Shape& input) override;
  int64_t out_channels() const override { return filters_; }
  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override;

 private:
  int64_t filters_, multiplier_;
  WeightOptions depthwise_options_, pointwise_options_;
  Windows pointwise_windows_;  // of one element
  Weight depthwise_, pointwise_;
};

template <std::size_t kRank>
std::shared_ptr<Layer> make_separable_convolution(
    const std::string& class_name, int64_t filters, const SpatialSize<kRank>& kernel_size,
    const layers::SeparableConvolutionOptions<SpatialSize<kRank>>& options) {
  return make_remembered<SeparableConvolutionLayer>(options.name, class_name,
                                                    convolution_settings(class_name, kernel_size, options), filters,
                                                    options.depth_multiplier,
                                                    WeightOptions{.initializer = options.depthwise_initializer,
                                                                  .regularizer = options.depthwise_regularizer,
                                                                  .constraint = options.depthwise_constraint},
                                                    WeightOptions{.initializer = options.pointwise_initializer,
                                                                  .regularizer = options.pointwise_regularizer,
                                                                  .constraint = options.pointwise_constraint});
}

/// Conv: the handle's class.
template <class Conv, std::size_t kRank>
Conv separable_convolution_from(const Config& config, const std::string& class_name) {
  using Size = SpatialSize<kRank>;
  auto options = convolution_options_from<layers::SeparableConvolutionOptions<Size>>(config, class_name);
  const WeightOptions depthwise = weight_options_from(config, "depthwise", "glorot_uniform");
  const WeightOptions pointwise = weight_options_from(config, "pointwise", "glorot_uniform");
  options.depth_multiplier = config.get("depth_multiplier", 1).as_int();
  options.depthwise_initializer = depthwise.initializer;
  options.pointwise_initializer = pointwise.initializer;
  options.depthwise_regularizer = depthwise.regularizer;
  options.pointwise_regularizer = pointwise.regularizer;
  options.depthwise_constraint = depthwise.constraint;
  options.pointwise_constraint = pointwise.constraint;
  return Conv(config.at("filters").as_int(), kernel_size_from<Size>(config), options);
}

}  // namespace tandem

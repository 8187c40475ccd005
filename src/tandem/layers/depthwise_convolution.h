#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tandem/layers/convolution_layer.h"
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem {

/// DepthwiseConv1D and DepthwiseConv2D: each channel has `depth_multiplier` kernels of its own.
class DepthwiseConvolutionLayer : public ConvolutionLayer {
 public:
  /// Throws InvalidArgument on a multiplier that is not positive.
  DepthwiseConvolutionLayer(std::string class_name, ConvolutionSettings settings, int64_t depth_multiplier,
                            WeightOptions kernel);

  Config get_config() const override;

 protected:
  void add_kernels(const Shape& input) override;
  int64_t out_channels() const override { return in_channels() * multiplier_; }
  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override;

 private:
  int64_t multiplier_;
  WeightOptions kernel_options_;
  Weight kernel_;
};

template <std::size_t kRank>
std::shared_ptr<Layer> make_depthwise_convolution(
    const std::string& class_name, const SpatialSize<kRank>& kernel_size,
    const layers::DepthwiseConvolutionOptions<SpatialSize<kRank>>& options) {
  return make_remembered<DepthwiseConvolutionLayer>(
      options.name, class_name, convolution_settings(class_name, kernel_size, options), options.depth_multiplier,
      WeightOptions{.initializer = options.depthwise_initializer,
                    .regularizer = options.depthwise_regularizer,
                    .constraint = options.depthwise_constraint});
}

/// Conv: the handle's class.
template <class Conv, std::size_t kRank>
Conv depthwise_convolution_from(const Config& config, const std::string& class_name) {
  using Size = SpatialSize<kRank>;
  auto options = convolution_options_from<layers::DepthwiseConvolutionOptions<Size>>(config, class_name);
  const WeightOptions kernel = weight_options_from(config, "depthwise", "glorot_uniform");
  options.depth_multiplier = config.get("depth_multiplier", 1).as_int();
  options.depthwise_initializer = kernel.initializer;
  options.depthwise_regularizer = kernel.regularizer;
  options.depthwise_constraint = kernel.constraint;
  return Conv(kernel_size_from<Size>(config), options);
}

}  // namespace tandem

#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tandem/layers/convolution_layer.h"
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem {

/// Conv1D, Conv2D and Conv3D: `filters` kernels over the channels of each of `groups` groups.
class PlainConvolutionLayer : public ConvolutionLayer {
 public:
  /// Throws InvalidArgument on numbers that are not positive, filters that groups does not divide, and strides together
  /// with dilation.
  PlainConvolutionLayer(std::string class_name, ConvolutionSettings settings, int64_t filters, int64_t groups,
                        WeightOptions kernel);

  Config get_config() const override;

 protected:
  void add_kernels(const Shape& input) override;
  int64_t out_channels() const override { return filters_; }
  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override;

 private:
  int64_t filters_, groups_;
  WeightOptions kernel_options_;
  Weight kernel_;
};

template <std::size_t kRank>
std::shared_ptr<Layer> make_plain_convolution(const std::string& class_name, int64_t filters,
                                              const SpatialSize<kRank>& kernel_size,
                                              const layers::ConvolutionOptions<SpatialSize<kRank>>& options) {
  return make_remembered<PlainConvolutionLayer>(
      options.name, class_name, convolution_settings(class_name, kernel_size, options, /*causal=*/kRank == 1), filters,
      options.groups,
      WeightOptions{.initializer = options.kernel_initializer,
                    .regularizer = options.kernel_regularizer,
                    .constraint = options.kernel_constraint});
}

/// Conv: the handle's class.
template <class Conv, std::size_t kRank>
Conv plain_convolution_from(const Config& config, const std::string& class_name) {
  using Size = SpatialSize<kRank>;
  auto options = convolution_options_from<layers::ConvolutionOptions<Size>>(config, class_name);
  const WeightOptions kernel = weight_options_from(config, "kernel", "glorot_uniform");
  options.groups = config.get("groups", 1).as_int();
  options.kernel_initializer = kernel.initializer;
  options.kernel_regularizer = kernel.regularizer;
  options.kernel_constraint = kernel.constraint;
  return Conv(config.at("filters").as_int(), kernel_size_from<Size>(config), options);
}

}  // namespace tandem

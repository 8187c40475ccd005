#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/layers/convolution_layer.h"
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem {

/// Conv1DTranspose, Conv2DTranspose and Conv3DTranspose.
class TransposedConvolutionLayer : public ConvolutionLayer {
 public:
  /// `output_padding`: one an axis; none: found from the sizes. Throws InvalidArgument on filters that are not
  /// positive, strides together with dilation, and an output padding that cannot be.
  TransposedConvolutionLayer(std::string class_name, ConvolutionSettings settings, int64_t filters,
                             std::vector<int64_t> output_padding, WeightOptions kernel);

  Config get_config() const override;
  /// In three dimensions LibTorch's backward now and then leaves parts of the kernel's gradient unset in bfloat16.
  Lowering lowering() const override { return rank() == 3 ? Lowering::kOutputs : Lowering::kAll; }

 protected:
  void add_kernels(const Shape& input) override;
  int64_t out_channels() const override { return filters_; }
  int64_t outputs(std::size_t axis, int64_t n) const override;
  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override;

 private:
  void check_output_padding() const;

  int64_t filters_;
  std::vector<int64_t> output_padding_;
  WeightOptions kernel_options_;
  Weight kernel_;
};

template <std::size_t kRank>
std::shared_ptr<Layer> make_transposed_convolution(
    const std::string& class_name, int64_t filters, const SpatialSize<kRank>& kernel_size,
    const layers::TransposedConvolutionOptions<SpatialSize<kRank>>& options) {
  return make_remembered<TransposedConvolutionLayer>(options.name, class_name,
                                                     convolution_settings(class_name, kernel_size, options), filters,
                                                     options.output_padding.numbers(),
                                                     WeightOptions{.initializer = options.kernel_initializer,
                                                                   .regularizer = options.kernel_regularizer,
                                                                   .constraint = options.kernel_constraint});
}

/// Conv: the handle's class.
template <class Conv, std::size_t kRank>
Conv transposed_convolution_from(const Config& config, const std::string& class_name) {
  using Size = SpatialSize<kRank>;
  auto options = convolution_options_from<layers::TransposedConvolutionOptions<Size>>(config, class_name);
  const WeightOptions kernel = weight_options_from(config, "kernel", "glorot_uniform");
  options.output_padding = size_from(config, "output_padding", Size());
  options.kernel_initializer = kernel.initializer;
  options.kernel_regularizer = kernel.regularizer;
  options.kernel_constraint = kernel.constraint;
  return Conv(config.at("filters").as_int(), kernel_size_from<Size>(config), options);
}

}  // namespace tandem

#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/convolution.h"
#include "tandem/layers/layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/weight_config.h"

namespace tandem {

/// The settings that the convolution layers share.
struct ConvolutionSettings {
  Windows windows;
  Padding padding = Padding::valid;
  ActivationFunction activation = {};
  bool use_bias = true;
  WeightOptions bias = {};
  Handle<Regularizer> activity_regularizer = {};
};

/// What the convolution layers share: windows that move over one to three spatial axes of (batch, spatial axes,
/// channels), a bias, an activation and the regulariser of the output.
class ConvolutionLayer : public Layer {
 public:
  /// Throws InvalidArgument on an unknown activation or activity regulariser.
  ConvolutionLayer(std::string class_name, ConvolutionSettings settings);

  std::string class_name() const override { return class_name_; }
  /// The shared settings.
  Config get_config() const override;
  void build(const Shape& input) override;
  Shape output_shape(const Shape& input) override;
  Tensor call(const Tensor& x, const CallContext& context) override;

 protected:
  /// Declares the kernels; `input`'s channels are known.
  virtual void add_kernels(const Shape& input) = 0;
  /// Channels of the output, once the kernels are there.
  virtual int64_t out_channels() const = 0;
  /// The convolution with the bias added.
  virtual Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) = 0;
  /// Size of the output along a spatial axis on which the input has n, kUnknown for kUnknown; 0: the window does not
  /// fit.
  virtual int64_t outputs(std::size_t axis, int64_t n) const;

  /// Throws InvalidArgument unless n is positive.
  void must_be_positive(const char* what, int64_t n) const;
  /// Throws InvalidArgument when a stride and a dilation are both above 1, which Keras's convolutions refuse.
  void refuse_dilated_strides() const;
  /// (spatial sizes of the kernel, `in`, `out`).
  Shape kernel_shape(int64_t in, int64_t out) const;
  /// Spatial axes.
  std::size_t rank() const { return settings_.windows.size(); }

  const ConvolutionSettings& settings() const { return settings_; }
  int64_t in_channels() const { return in_; }

 private:
  void check_input(const Shape& input) const;
  void check_fits(const Shape& input) const;
  /// One of a window's numbers for each axis.
  Config each(int64_t Window::*member) const;

  std::string class_name_;
  ConvolutionSettings settings_;
  int64_t in_ = 0;
  Weight bias_;
};

/// What an Options aggregate of a convolution holds under Keras's names; `causal`: whether that padding is known.
template <class Size, class Options>
ConvolutionSettings convolution_settings(const std::string& layer, const Size& kernel_size, const Options& options,
                                         bool causal = false) {
  return {
      .windows = make_windows(layer, kernel_size.numbers(), options.strides.numbers(), options.dilation_rate.numbers()),
      .padding = parse_padding(layer, options.padding, causal),
      .activation = options.activation,
      .use_bias = options.use_bias,
      .bias = {.initializer = options.bias_initializer,
               .regularizer = options.bias_regularizer,
               .constraint = options.bias_constraint},
      .activity_regularizer = options.activity_regularizer};
}

/// The same from a layer's config. Throws InvalidArgument on settings that are not supported.
template <class Options>
Options convolution_options_from(const Config& config, const std::string& layer) {
  check_channels_last(config, layer);
  refuse_settings(config, layer, {"lora_rank"});
  const WeightOptions bias = weight_options_from(config, "bias", "zeros");
  Options options;
  options.strides = size_from(config, "strides", options.strides);
  options.padding = config.get("padding", "valid").as_string();
  options.dilation_rate = size_from(config, "dilation_rate", options.dilation_rate);
  options.activation = activation_from(config, "activation");
  options.use_bias = config.get("use_bias", true).as_bool();
  options.bias_initializer = bias.initializer;
  options.bias_regularizer = bias.regularizer;
  options.activity_regularizer = regularizer_from(config, "activity_regularizer");
  options.bias_constraint = bias.constraint;
  return options;
}

/// "kernel_size". Throws DataError where it is missing.
template <class Size>
Size kernel_size_from(const Config& config) {
  config.at("kernel_size");
  return size_from(config, "kernel_size", Size());
}

}  // namespace tandem

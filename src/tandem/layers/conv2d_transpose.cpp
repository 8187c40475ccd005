#include "tandem/layers/conv2d_transpose.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/convolution_layer.h"

namespace tandem::layers {
namespace {

class Conv2DTransposeLayer : public ConvolutionLayer {
 public:
  Conv2DTransposeLayer(int64_t filters, const Size2D& kernel_size, const Conv2DTransposeOptions& options)
      : ConvolutionLayer("Conv2DTranspose", convolution_settings("Conv2DTranspose", kernel_size, options)),
        filters_(filters),
        output_padding_(options.output_padding),
        kernel_options_{.initializer = options.kernel_initializer,
                        .regularizer = options.kernel_regularizer,
                        .constraint = options.kernel_constraint,
                        .memory_order = {3, 0, 1, 2}} {
    must_be_positive("filters", filters_);
    refuse_dilated_strides();
    if (output_padding_.given()) check_output_padding();
  }

  Config get_config() const override {
    Config config = ConvolutionLayer::get_config();
    config.set("filters", filters_);
    config.set("output_padding", output_padding_.given() ? to_config(output_padding_) : Config());
    add_weight_config(config, "kernel", kernel_options_);
    return config;
  }

 protected:
  void add_kernels(const Shape&) override {
    kernel_ = add_weight("kernel", kernel_shape(filters_, in_channels()), kernel_options_);
  }

  int64_t out_channels() const override { return filters_; }

  int64_t outputs(std::size_t axis, int64_t n) const override {
    if (n == Shape::kUnknown) return n;
    const Window& window = settings().windows[axis];
    const bool same = settings().padding == Padding::same;
    if (!output_padding_.given())
      return n * window.stride + (same ? 0 : std::max<int64_t>(window.extent() - window.stride, 0));
    return (n - 1) * window.stride + (same ? window.extent() % 2 : window.extent()) +
           output_padding_[static_cast<int64_t>(axis)];
  }

  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override {
    return convolve_transposed(x, kernel_.value().permute({3, 2, 0, 1}), bias, settings().windows,
                               {outputs(0, x.size(1)), outputs(1, x.size(2))});
  }

 private:
  void check_output_padding() const {
    for (int64_t axis : {0, 1}) {
      const Window& window = settings().windows[static_cast<std::size_t>(axis)];
      const int64_t padding = output_padding_[axis];
      if (padding < 0 || padding >= window.stride) {
        throw InvalidArgument(c10::str("Conv2DTranspose: output_padding must be at least 0 and below the stride (",
                                       window.stride, "), got ", padding));
      }
      // Else the last column of the input would lie outside of the output.
      if (padding == 0 && settings().padding == Padding::same && window.extent() % 2 == 0) {
        throw InvalidArgument(
            c10::str("Conv2DTranspose: with padding 'same' and a kernel that covers an even number of elements (",
                     window.extent(), ") output_padding must be positive, got 0"));
      }
    }
  }

  int64_t filters_;
  Size2D output_padding_;
  WeightOptions kernel_options_;
  Weight kernel_;
};

}  // namespace

Conv2DTranspose::Conv2DTranspose(int64_t filters, Size2D kernel_size, Conv2DTransposeOptions options)
    : LayerHandle(make_remembered<Conv2DTransposeLayer>(options.name, filters, kernel_size, options)) {}

Conv2DTranspose Conv2DTranspose::from_config(const Config& config) {
  auto options = convolution_options_from<Conv2DTransposeOptions>(config, "Conv2DTranspose");
  const WeightOptions kernel = weight_options_from(config, "kernel", "glorot_uniform");
  options.output_padding = size2d_from(config, "output_padding", {});
  options.kernel_initializer = kernel.initializer;
  options.kernel_regularizer = kernel.regularizer;
  options.kernel_constraint = kernel.constraint;
  return Conv2DTranspose(config.at("filters").as_int(), size2d_from(config, "kernel_size", {}), options);
}

}  // namespace tandem::layers

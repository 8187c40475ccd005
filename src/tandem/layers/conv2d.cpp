#include "tandem/layers/conv2d.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/convolution_layer.h"

namespace tandem::layers {
namespace {

class Conv2DLayer : public ConvolutionLayer {
 public:
  Conv2DLayer(int64_t filters, const Size2D& kernel_size, const Conv2DOptions& options)
      : ConvolutionLayer("Conv2D", convolution_settings("Conv2D", kernel_size, options)),
        filters_(filters),
        groups_(options.groups),
        kernel_options_{.initializer = options.kernel_initializer,
                        .regularizer = options.kernel_regularizer,
                        .constraint = options.kernel_constraint,
                        .memory_order = {3, 0, 1, 2}} {
    must_be_positive("filters", filters_);
    must_be_positive("groups", groups_);
    if (filters_ % groups_ != 0)
      throw InvalidArgument(c10::str("Conv2D: filters must be a multiple of groups (", groups_, "), got ", filters_));
    refuse_dilated_strides();
  }

  Config get_config() const override {
    Config config = ConvolutionLayer::get_config();
    config.set("filters", filters_);
    config.set("groups", groups_);
    add_weight_config(config, "kernel", kernel_options_);
    return config;
  }

 protected:
  void add_kernels(const Shape& input) override {
    if (in_channels() % groups_ != 0) {
      throw_shape_error(*this, c10::str("the channels of the input must be a multiple of groups (", groups_, ")"),
                        input);
    }
    kernel_ = add_weight("kernel", kernel_shape(in_channels() / groups_, filters_), kernel_options_);
  }

  int64_t out_channels() const override { return filters_; }

  Tensor convolve_with(const Tensor& x, const std::optional<Tensor>& bias) override {
    return convolve(x, kernel_.value().permute({3, 2, 0, 1}), bias, settings().windows, settings().padding, groups_);
  }

 private:
  int64_t filters_, groups_;
  WeightOptions kernel_options_;
  Weight kernel_;
};

}  // namespace

Conv2D::Conv2D(int64_t filters, Size2D kernel_size, Conv2DOptions options)
    : LayerHandle(make_remembered<Conv2DLayer>(options.name, filters, kernel_size, options)) {}

Conv2D Conv2D::from_config(const Config& config) {
  auto options = convolution_options_from<Conv2DOptions>(config, "Conv2D");
  const WeightOptions kernel = weight_options_from(config, "kernel", "glorot_uniform");
  options.groups = config.get("groups", 1).as_int();
  options.kernel_initializer = kernel.initializer;
  options.kernel_regularizer = kernel.regularizer;
  options.kernel_constraint = kernel.constraint;
  return Conv2D(config.at("filters").as_int(), size2d_from(config, "kernel_size", {}), options);
}

}  // namespace tandem::layers

#include "tandem/layers/plain_convolution.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/kernel_layout.h"

namespace tandem {

PlainConvolutionLayer::PlainConvolutionLayer(std::string class_name, ConvolutionSettings settings, int64_t filters,
                                             int64_t groups, WeightOptions kernel)
    : ConvolutionLayer(std::move(class_name), std::move(settings)),
      filters_(filters),
      groups_(groups),
      kernel_options_(std::move(kernel)) {
  kernel_options_.memory_order = channels_last_kernel(rank());
  must_be_positive("filters", filters_);
  must_be_positive("groups", groups_);
  if (filters_ % groups_ != 0) {
    throw InvalidArgument(
        c10::str(this->class_name(), ": filters must be a multiple of groups (", groups_, "), got ", filters_));
  }
  refuse_dilated_strides();
}

Config PlainConvolutionLayer::get_config() const {
  Config config = ConvolutionLayer::get_config();
  config.set("filters", filters_);
  config.set("groups", groups_);
  add_weight_config(config, "kernel", kernel_options_);
  return config;
}

void PlainConvolutionLayer::add_kernels(const Shape& input) {
  if (in_channels() % groups_ != 0) {
    throw_shape_error(*this, c10::str("the channels of the input must be a multiple of groups (", groups_, ")"), input);
  }
  kernel_ = add_weight("kernel", kernel_shape(in_channels() / groups_, filters_), kernel_options_);
}

Tensor PlainConvolutionLayer::convolve_with(const Tensor& x, const std::optional<Tensor>& bias) {
  return convolve(x, kernel_view(kernel_.value()), bias, settings().windows, settings().padding, groups_);
}

}  // namespace tandem

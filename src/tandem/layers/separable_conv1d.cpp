#include "tandem/layers/separable_conv1d.h"

#include "tandem/layers/separable_convolution.h"

namespace tandem::layers {

SeparableConv1D::SeparableConv1D(int64_t filters, Size1D kernel_size, SeparableConv1DOptions options)
    : LayerHandle(make_separable_convolution("SeparableConv1D", filters, kernel_size, options)) {}

SeparableConv1D SeparableConv1D::from_config(const Config& config) {
  return separable_convolution_from<SeparableConv1D, 1>(config, "SeparableConv1D");
}

}  // namespace tandem::layers

#include "tandem/layers/separable_conv2d.h"

#include "tandem/layers/separable_convolution.h"

namespace tandem::layers {

SeparableConv2D::SeparableConv2D(int64_t filters, Size2D kernel_size, SeparableConv2DOptions options)
    : LayerHandle(make_separable_convolution("SeparableConv2D", filters, kernel_size, options)) {}

SeparableConv2D SeparableConv2D::from_config(const Config& config) {
  return separable_convolution_from<SeparableConv2D, 2>(config, "SeparableConv2D");
}

}  // namespace tandem::layers

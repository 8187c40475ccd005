#include "tandem/layers/depthwise_conv1d.h"

#include "tandem/layers/depthwise_convolution.h"

namespace tandem::layers {

DepthwiseConv1D::DepthwiseConv1D(Size1D kernel_size, DepthwiseConv1DOptions options)
    : LayerHandle(make_depthwise_convolution("DepthwiseConv1D", kernel_size, options)) {}

DepthwiseConv1D DepthwiseConv1D::from_config(const Config& config) {
  return depthwise_convolution_from<DepthwiseConv1D, 1>(config, "DepthwiseConv1D");
}

}  // namespace tandem::layers

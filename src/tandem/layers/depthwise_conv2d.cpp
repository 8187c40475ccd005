#include "tandem/layers/depthwise_conv2d.h"

#include "tandem/layers/depthwise_convolution.h"

namespace tandem::layers {

DepthwiseConv2D::DepthwiseConv2D(Size2D kernel_size, DepthwiseConv2DOptions options)
    : LayerHandle(make_depthwise_convolution("DepthwiseConv2D", kernel_size, options)) {}

DepthwiseConv2D DepthwiseConv2D::from_config(const Config& config) {
  return depthwise_convolution_from<DepthwiseConv2D, 2>(config, "DepthwiseConv2D");
}

}  // namespace tandem::layers

#include "tandem/layers/conv2d.h"

#include "tandem/layers/plain_convolution.h"

namespace tandem::layers {

Conv2D::Conv2D(int64_t filters, Size2D kernel_size, Conv2DOptions options)
    : LayerHandle(make_plain_convolution("Conv2D", filters, kernel_size, options)) {}

Conv2D Conv2D::from_config(const Config& config) { return plain_convolution_from<Conv2D, 2>(config, "Conv2D"); }

}  // namespace tandem::layers

#include "tandem/layers/conv3d.h"

#include "tandem/layers/plain_convolution.h"

namespace tandem::layers {

Conv3D::Conv3D(int64_t filters, Size3D kernel_size, Conv3DOptions options)
    : LayerHandle(make_plain_convolution("Conv3D", filters, kernel_size, options)) {}

Conv3D Conv3D::from_config(const Config& config) { return plain_convolution_from<Conv3D, 3>(config, "Conv3D"); }

}  // namespace tandem::layers

#include "tandem/layers/conv3d_transpose.h"

#include "tandem/layers/transposed_convolution.h"

namespace tandem::layers {

Conv3DTranspose::Conv3DTranspose(int64_t filters, Size3D kernel_size, Conv3DTransposeOptions options)
    : LayerHandle(make_transposed_convolution("Conv3DTranspose", filters, kernel_size, options)) {}

Conv3DTranspose Conv3DTranspose::from_config(const Config& config) {
  return transposed_convolution_from<Conv3DTranspose, 3>(config, "Conv3DTranspose");
}

}  // namespace tandem::layers

#include "tandem/layers/conv2d_transpose.h"

#include "tandem/layers/transposed_convolution.h"

namespace tandem::layers {

Conv2DTranspose::Conv2DTranspose(int64_t filters, Size2D kernel_size, Conv2DTransposeOptions options)
    : LayerHandle(make_transposed_convolution("Conv2DTranspose", filters, kernel_size, options)) {}

Conv2DTranspose Conv2DTranspose::from_config(const Config& config) {
  return transposed_convolution_from<Conv2DTranspose, 2>(config, "Conv2DTranspose");
}

}  // namespace tandem::layers

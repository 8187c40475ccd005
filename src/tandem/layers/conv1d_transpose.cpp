#include "tandem/layers/conv1d_transpose.h"

#include "tandem/layers/transposed_convolution.h"

namespace tandem::layers {

Conv1DTranspose::Conv1DTranspose(int64_t filters, Size1D kernel_size, Conv1DTransposeOptions options)
    : LayerHandle(make_transposed_convolution("Conv1DTranspose", filters, kernel_size, options)) {}

Conv1DTranspose Conv1DTranspose::from_config(const Config& config) {
  return transposed_convolution_from<Conv1DTranspose, 1>(config, "Conv1DTranspose");
}

}  // namespace tandem::layers

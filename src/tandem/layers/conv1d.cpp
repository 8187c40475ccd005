#include "tandem/layers/conv1d.h"

#include "tandem/layers/plain_convolution.h"

namespace tandem::layers {

Conv1D::Conv1D(int64_t filters, Size1D kernel_size, Conv1DOptions options)
    : LayerHandle(make_plain_convolution("Conv1D", filters, kernel_size, options)) {}

Conv1D Conv1D::from_config(const Config& config) { return plain_convolution_from<Conv1D, 1>(config, "Conv1D"); }

}  // namespace tandem::layers

#pragma once
#include "tandem/layers/conv_lstm_options.h"

namespace tandem::layers {

using ConvLSTM2DOptions = ConvLSTMOptions<Size2D>;

/// An LSTM whose products are convolutions (Shi et al. 2015): (batch, steps, height, width, in)
/// to (batch, height', width', filters), of every step with return_sequences. The call may take the first
/// states h and c as further inputs; outputs(...) has the last ones with return_state. Weights: kernel (spatial sizes,
/// in, 4 filters), recurrent_kernel (spatial sizes, filters, 4 filters), bias (4 filters,), gates in the order i, f, c,
/// o. As keras.layers.ConvLSTM2D, channels last.
///
/// Throws InvalidArgument on sizes that are not positive, strides together with dilation, an unknown padding or
/// activation, and an input of other rank or whose sizes but for batch and steps are not known.
class ConvLSTM2D : public LayerHandle {
 public:
  ConvLSTM2D(int64_t filters, Size2D kernel_size, ConvLSTM2DOptions options = {});
  static ConvLSTM2D from_config(const Config& config);
};

}  // namespace tandem::layers

#include "tandem/layers/conv_lstm1d.h"

#include "tandem/layers/conv_lstm.h"

namespace tandem::layers {

ConvLSTM1D::ConvLSTM1D(int64_t filters, Size1D kernel_size, ConvLSTM1DOptions options)
    : LayerHandle(make_conv_lstm("ConvLSTM1D", filters, kernel_size, options)) {}

ConvLSTM1D ConvLSTM1D::from_config(const Config& config) {
  return conv_lstm_from<ConvLSTM1D, Size1D, ConvLSTM1DOptions>(config, "ConvLSTM1D");
}

}  // namespace tandem::layers

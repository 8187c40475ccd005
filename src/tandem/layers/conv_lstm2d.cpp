#include "tandem/layers/conv_lstm2d.h"

#include "tandem/layers/conv_lstm.h"

namespace tandem::layers {

ConvLSTM2D::ConvLSTM2D(int64_t filters, Size2D kernel_size, ConvLSTM2DOptions options)
    : LayerHandle(make_conv_lstm("ConvLSTM2D", filters, kernel_size, options)) {}

ConvLSTM2D ConvLSTM2D::from_config(const Config& config) {
  return conv_lstm_from<ConvLSTM2D, Size2D, ConvLSTM2DOptions>(config, "ConvLSTM2D");
}

}  // namespace tandem::layers

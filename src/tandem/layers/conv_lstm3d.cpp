#include "tandem/layers/conv_lstm3d.h"

#include "tandem/layers/conv_lstm.h"

namespace tandem::layers {

ConvLSTM3D::ConvLSTM3D(int64_t filters, Size3D kernel_size, ConvLSTM3DOptions options)
    : LayerHandle(make_conv_lstm("ConvLSTM3D", filters, kernel_size, options)) {}

ConvLSTM3D ConvLSTM3D::from_config(const Config& config) {
  return conv_lstm_from<ConvLSTM3D, Size3D, ConvLSTM3DOptions>(config, "ConvLSTM3D");
}

}  // namespace tandem::layers

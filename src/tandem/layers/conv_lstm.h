#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/cell_settings.h"
#include "tandem/layers/conv_lstm_cell.h"
#include "tandem/layers/recurrent_layer.h"
#include "tandem/layers/spatial_size.h"

namespace tandem {

/// What the handles ConvLSTM1D, 2D and 3D share. Options: ConvLSTMOptions<SpatialSize<kRank>>.
template <std::size_t kRank, class Options>
std::shared_ptr<Layer> make_conv_lstm(const std::string& class_name, int64_t filters,
                                      const SpatialSize<kRank>& kernel_size, const Options& options) {
  const Windows windows =
      make_windows(class_name, kernel_size.numbers(), options.strides.numbers(), options.dilation_rate.numbers());
  const Padding padding = parse_padding(class_name, options.padding);
  const CellSettings settings = cell_settings(options);
  const auto make_cell = [=] {
    return make_remembered<ConvLSTMCellLayer>("conv_lstm_cell", filters, windows, padding, settings);
  };
  return make_recurrent_layer(options.name, class_name, make_cell, recurrent_settings(options));
}

/// ConvLSTM: the handle's class; Size: its SpatialSize.
template <class ConvLSTM, class Size, class Options>
ConvLSTM conv_lstm_from(const Config& config, const std::string& class_name) {
  check_channels_last(config, class_name);
  Options options;
  read_cell_options(config, options);
  read_recurrent_options(config, options);
  options.activity_regularizer = regularizer_from(config, "activity_regularizer");
  options.strides = size_from(config, "strides", options.strides);
  options.padding = config.get("padding", "valid").as_string();
  options.dilation_rate = size_from(config, "dilation_rate", options.dilation_rate);
  config.at("kernel_size");
  return ConvLSTM(config.at("filters").as_int(), size_from(config, "kernel_size", Size()), options);
}

}  // namespace tandem

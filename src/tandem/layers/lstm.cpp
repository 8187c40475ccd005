#include "tandem/layers/lstm.h"

#include "tandem/layers/cell_settings.h"
#include "tandem/layers/lstm_cell.h"
#include "tandem/layers/recurrent_layer.h"

namespace tandem::layers {

LSTM::LSTM(int64_t units, LSTMOptions options)
    : LayerHandle(make_recurrent_layer(
          options.name, "LSTM", [=] { return make_lstm_cell(units, cell_settings(options), "lstm_cell"); },
          recurrent_settings(options))) {}

LSTM LSTM::from_config(const Config& config) {
  refuse_settings(config, "LSTM", {"time_major"});
  LSTMOptions options;
  read_cell_options(config, options);
  read_recurrent_options(config, options);
  options.activity_regularizer = regularizer_from(config, "activity_regularizer");
  return LSTM(config.at("units").as_int(), options);
}

}  // namespace tandem::layers

#include "tandem/layers/simple_rnn.h"

#include "tandem/layers/cell_settings.h"
#include "tandem/layers/recurrent_layer.h"
#include "tandem/layers/simple_rnn_cell.h"

namespace tandem::layers {

SimpleRNN::SimpleRNN(int64_t units, SimpleRNNOptions options)
    : LayerHandle(make_recurrent_layer(
          options.name, "SimpleRNN",
          [=] { return make_simple_rnn_cell(units, cell_settings(options), "simple_rnn_cell"); },
          recurrent_settings(options))) {}

SimpleRNN SimpleRNN::from_config(const Config& config) {
  refuse_settings(config, "SimpleRNN", {"time_major"});
  SimpleRNNOptions options;
  read_cell_options(config, options);
  read_recurrent_options(config, options);
  options.activity_regularizer = regularizer_from(config, "activity_regularizer");
  return SimpleRNN(config.at("units").as_int(), options);
}

}  // namespace tandem::layers

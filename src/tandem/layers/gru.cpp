#include "tandem/layers/gru.h"

#include "tandem/layers/cell_settings.h"
#include "tandem/layers/gru_cell.h"
#include "tandem/layers/recurrent_layer.h"

namespace tandem::layers {

GRU::GRU(int64_t units, GRUOptions options)
    : LayerHandle(make_recurrent_layer(
          options.name, "GRU",
          [=] { return make_gru_cell(units, cell_settings(options), options.reset_after, "gru_cell"); },
          recurrent_settings(options))) {}

GRU GRU::from_config(const Config& config) {
  refuse_settings(config, "GRU", {"time_major"});
  GRUOptions options;
  read_cell_options(config, options);
  read_recurrent_options(config, options);
  options.activity_regularizer = regularizer_from(config, "activity_regularizer");
  options.reset_after = config.get("reset_after", true).as_bool();
  return GRU(config.at("units").as_int(), options);
}

}  // namespace tandem::layers

#include "tandem/layers/rnn.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/layer_entry.h"
#include "tandem/layers/recurrent_layer.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

std::shared_ptr<RecurrentCell> as_cell(const std::shared_ptr<Layer>& layer) {
  auto cell = std::dynamic_pointer_cast<RecurrentCell>(layer);
  if (!cell)
    throw InvalidArgument(
        c10::str("RNN: must get a cell, got layer '", layer->name(), "' (", layer->class_name(), ")"));
  return cell;
}

// The first layer has the cell itself, its clones have copies.
std::shared_ptr<RecurrentLayer> make_rnn(const std::shared_ptr<RecurrentCell>& cell, const RNNOptions& options) {
  auto layer = make_recurrent_layer(
      options.name, "RNN", [cell] { return cell; }, recurrent_settings(options));
  layer->set_recipe([cell, options] { return make_rnn(as_cell(cell->fresh_copy()), options); });
  return layer;
}

}  // namespace

RNN::RNN(const LayerHandle& cell, RNNOptions options) : LayerHandle(make_rnn(as_cell(cell.get()), options)) {}

RNN RNN::from_config(const Config& config) {
  RNNOptions options;
  read_recurrent_options(config, options);
  options.activity_regularizer = regularizer_from(config, "activity_regularizer");
  return RNN(layer_from_entry(config.at("cell")), options);
}

}  // namespace tandem::layers

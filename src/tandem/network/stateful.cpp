#include "tandem/network/stateful.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/recurrent_layer.h"

namespace tandem {
namespace {

// The first stateful layer of those within, or null.
const RecurrentLayer* find_stateful(const Layer& layer) {
  const auto* recurrent = dynamic_cast<const RecurrentLayer*>(&layer);
  if (recurrent && recurrent->fixed_batch() > 0) return recurrent;
  for (const auto& child : layer.children()) {
    if (const auto* found = find_stateful(*child)) return found;
  }
  return nullptr;
}

}  // namespace

int64_t fixed_batch(const Network& network) {
  const auto* layer = find_stateful(network);
  return layer ? layer->fixed_batch() : 0;
}

void reset_states(const Network& network) {
  for (const auto& child : network.children()) layers::reset_states(LayerHandle(child));
}

void check_batches(const Network& network, const char* who, int64_t batch_size, int64_t rows, int64_t batches,
                   bool drop_remainder) {
  const auto* layer = find_stateful(network);
  if (!layer) return;
  const int64_t fixed = layer->fixed_batch();
  const auto why = c10::str(who, ": layer '", layer->name(), "' (", layer->class_name(),
                            ") is stateful and keeps states for ", fixed, " rows: ");
  if (batch_size != fixed) throw InvalidArgument(c10::str(why, "batch_size must be ", fixed, ", got ", batch_size));
  const bool ends_before = drop_remainder || (batches > 0 && batches * fixed <= rows);
  if (rows % fixed != 0 && !ends_before)
    throw InvalidArgument(c10::str(why, "the data must have a multiple of ", fixed, " rows, has ", rows));
}

}  // namespace tandem

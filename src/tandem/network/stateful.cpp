#include "tandem/network/stateful.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/network/find_layer.h"

namespace tandem {

const RecurrentLayer* find_stateful(const Layer& layer) {
  return dynamic_cast<const RecurrentLayer*>(find_layer(layer, [](const Layer& one) {
    const auto* recurrent = dynamic_cast<const RecurrentLayer*>(&one);
    return recurrent && recurrent->fixed_batch() > 0;
  }));
}

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
  const auto why = c10::str(who, ": layer ", quoted(*layer), " is stateful and keeps states for ", fixed, " rows: ");
  if (batch_size != fixed) throw InvalidArgument(c10::str(why, "batch_size must be ", fixed, ", got ", batch_size));
  const bool ends_before = drop_remainder || (batches > 0 && batches * fixed <= rows);
  if (rows % fixed != 0 && !ends_before)
    throw InvalidArgument(c10::str(why, "the data must have a multiple of ", fixed, " rows, has ", rows));
}

}  // namespace tandem

#pragma once
#include "tandem/layers/recurrent_layer.h"
#include "tandem/network/network.h"

namespace tandem {

/// The first of the layers within that keeps its states from batch to batch; null: none does.
const RecurrentLayer* find_stateful(const Layer& layer);

/// The rows that each batch must have, where recurrent layers in the network keep their states from batch to batch; 0
/// where none does.
int64_t fixed_batch(const Network& network);

/// Lets those layers begin with zeros, on every replica.
void reset_states(const Network& network);

/// Throws InvalidArgument, beginning with `who`, when a network of a fixed batch is to get batches of `batch_size` of
/// `rows` rows, `batches` of them (-1: all), and not each has that many.
void check_batches(const Network& network, const char* who, int64_t batch_size, int64_t rows, int64_t batches,
                   bool drop_remainder);

}  // namespace tandem

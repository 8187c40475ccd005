#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct RNNOptions {
  bool return_sequences = false;      // the output of every step, not of the last one
  bool return_state = false;          // the last states as further outputs
  bool go_backwards = false;          // from the last step to the first; sequences come out in that order
  bool stateful = false;              // a batch's states are the next one's first
  bool unroll = false;                // Keras's; changes nothing here
  bool zero_output_for_mask = false;  // steps that the mask leaves out give 0, not the output before
  Handle<Regularizer> activity_regularizer = {};
  std::string name = {};
};

/// A cell over the steps of a sequence: LSTMCell, StackedRNNCells, ... or a user's own (RecurrentCell), made by
/// make_layer. (batch, steps, ...) to (batch, ...) or, with return_sequences, (batch, steps, ...). The call may take
/// the first states as further inputs; outputs(...) has the last ones with return_state. As keras.layers.RNN.
///
/// Throws InvalidArgument on a layer that is no cell, an input of rank below 3, and, stateful, on one without a known
/// batch.
class RNN : public LayerHandle {
 public:
  explicit RNN(const LayerHandle& cell, RNNOptions options = {});
  static RNN from_config(const Config& config);
};

}  // namespace tandem::layers

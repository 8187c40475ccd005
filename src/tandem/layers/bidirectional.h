#pragma once
#include <optional>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct BidirectionalOptions {
  /// "concat", "sum", "mul", "ave", or "none" (Keras's None): both outputs.
  std::string merge_mode = "concat";
  /// Goes the other way than the layer; empty: a copy of the layer that does.
  LayerHandle backward_layer = {};
  std::string name = {};
};

/// A recurrent layer forwards and backwards over the same sequence (Schuster and Paliwal 1997): outputs are brought
/// into one order of steps and merged. The call may take the first states of both as further inputs, the forward
/// layer's first; outputs(...) has their last ones with return_state. The layers are copies of the given ones, named
/// "forward_lstm" and "backward_lstm"; their weights are this layer's. As keras.layers.Bidirectional.
///
/// Throws InvalidArgument on a layer that is not recurrent, an unknown merge_mode, two layers of one direction, and two
/// that differ in stateful, return_sequences or return_state.
class Bidirectional : public LayerHandle {
 public:
  explicit Bidirectional(const LayerHandle& layer, BidirectionalOptions options = {});
  static Bidirectional from_config(const Config& config);
};

}  // namespace tandem::layers

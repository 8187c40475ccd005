#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct GRUOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> recurrent_initializer = "orthogonal";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> recurrent_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> recurrent_constraint = {};
  Handle<Constraint> bias_constraint = {};
  double dropout = 0;            // of the inputs, in training; the same at every step
  double recurrent_dropout = 0;  // of the state; the same at every step
  std::optional<int64_t> seed = {};
  bool return_sequences = false;      // the output of every step, not of the last one
  bool return_state = false;          // the last state as a further output
  bool go_backwards = false;          // from the last step to the first; sequences come out in that order
  bool stateful = false;              // a batch's states are the next one's first
  bool unroll = false;                // Keras's; changes nothing here
  bool reset_after = true;            // the reset gate works on the state's product, not on the state
  bool zero_output_for_mask = false;  // steps that the mask leaves out give 0, not the output before
  int64_t implementation = 2;         // 1, and recurrent dropout: a dropout mask for each gate
  std::string name = {};
};

/// Gated recurrent unit (Cho et al. 2014): (batch, steps, in) to (batch, units), or (batch, steps, units) with
/// return_sequences. The call may take the first state as a second input, `gru({x, h})`; outputs(...) has the last one
/// with return_state. A step that the input's mask leaves out keeps the state. Weights as GRUCell's. As
/// keras.layers.GRU.
///
/// With the usual activations, reset_after and without recurrent dropout all steps are one operation of autograd, on
/// the CPU by fused kernels, which has no gradients of gradients (fused_sequence.h).
///
/// Throws InvalidArgument as GRUCell, on an input of other rank than 3 or without known features, and, stateful, on one
/// without a known batch.
class GRU : public LayerHandle {
 public:
  explicit GRU(int64_t units, GRUOptions options = {});
  static GRU from_config(const Config& config);
};

}  // namespace tandem::layers

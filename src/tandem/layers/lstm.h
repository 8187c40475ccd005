#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct LSTMOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> recurrent_initializer = "orthogonal";
  Handle<Initializer> bias_initializer = "zeros";
  bool unit_forget_bias = true;  // the forget gate's bias begins at 1
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
  bool zero_output_for_mask = false;  // steps that the mask leaves out give 0, not the output before
  int64_t implementation = 2;         // 1, and recurrent dropout: a dropout mask for each gate
  std::string name = {};
};

/// Long short-term memory (Hochreiter and Schmidhuber 1997): (batch, steps, in) to (batch, units), or (batch, steps,
/// units) with return_sequences. The call may take the first states as further inputs, `lstm({x, h, c})`; outputs(...)
/// has the last ones, h and c, with return_state. A step that the input's mask leaves out keeps the states. Weights as
/// LSTMCell's. As keras.layers.LSTM.
///
/// With the usual activations and without recurrent dropout all steps are one operation of autograd, on the CPU by
/// fused kernels, which has no gradients of gradients (fused_sequence.h).
///
/// Throws InvalidArgument as LSTMCell, on an input of other rank than 3 or without known features, and, stateful, on
/// one without a known batch.
class LSTM : public LayerHandle {
 public:
  explicit LSTM(int64_t units, LSTMOptions options = {});
  static LSTM from_config(const Config& config);
};

}  // namespace tandem::layers

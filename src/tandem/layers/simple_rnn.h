#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct SimpleRNNOptions {
  ActivationFunction activation = "tanh";
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
  double dropout = 0;             // of the inputs, in training; the same at every step
  double recurrent_dropout = 0;   // of the state; the same at every step
  bool return_sequences = false;  // the output of every step, not of the last one
  bool return_state = false;      // the last state as a further output
  bool go_backwards = false;      // from the last step to the first; sequences come out in that order
  bool stateful = false;          // a batch's states are the next one's first
  bool unroll = false;            // Keras's; changes nothing here
  std::optional<int64_t> seed = {};
  bool zero_output_for_mask = false;  // steps that the mask leaves out give 0, not the output before
  std::string name = {};
};

/// A recurrent layer whose output is its state: h = activation(x kernel + h recurrent_kernel + bias), from step to
/// step. (batch, steps, in) to (batch, units), or (batch, steps, units) with return_sequences; the call may take the
/// first state as a second input: `rnn({x, h})`; outputs(...) has the last one with return_state. Weights as
/// SimpleRNNCell's. As keras.layers.SimpleRNN.
///
/// With tanh and without recurrent dropout all steps are one operation of autograd on the CPU, which has no gradients
/// of gradients (fused_sequence.h).
///
/// Throws InvalidArgument as SimpleRNNCell, on an input of other rank than 3 or without known features, and, stateful,
/// on one without a known batch.
class SimpleRNN : public LayerHandle {
 public:
  explicit SimpleRNN(int64_t units, SimpleRNNOptions options = {});
  static SimpleRNN from_config(const Config& config);
};

}  // namespace tandem::layers

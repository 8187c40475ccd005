#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/spatial_size.h"

namespace tandem::layers {

/// Of ConvLSTM1D, ConvLSTM2D, ConvLSTM3D. Size: Size1D, Size2D or Size3D.
template <class Size>
struct ConvLSTMOptions {
  Size strides = 1;
  std::string padding = "valid";  // or "same"
  Size dilation_rate = 1;
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
  std::string name = {};
};

}  // namespace tandem::layers

#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct SimpleRNNCellOptions {
  ActivationFunction activation = "tanh";
  bool use_bias = true;
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> recurrent_initializer = "orthogonal";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> recurrent_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> recurrent_constraint = {};
  Handle<Constraint> bias_constraint = {};
  double dropout = 0;            // of the inputs, in training
  double recurrent_dropout = 0;  // of the state
  std::optional<int64_t> seed = {};
  std::string name = {};
};

/// One step of SimpleRNN: activation(x kernel + h recurrent_kernel + bias), which is the output and the new state.
/// {x (batch, in), h (batch, units)} to {output, h}. Weights: kernel (in, units), recurrent_kernel (units, units), bias
/// (units,). As keras.layers.SimpleRNNCell. Throws InvalidArgument on units that are not positive, rates outside of
/// [0, 1) and an unknown activation.
class SimpleRNNCell : public LayerHandle {
 public:
  explicit SimpleRNNCell(int64_t units, SimpleRNNCellOptions options = {});
  static SimpleRNNCell from_config(const Config& config);
};

}  // namespace tandem::layers

namespace tandem {

class RecurrentCell;
struct CellSettings;

std::shared_ptr<RecurrentCell> make_simple_rnn_cell(int64_t units, const CellSettings& settings,
                                                    const std::string& name);

}  // namespace tandem

#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct LSTMCellOptions {
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
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> recurrent_constraint = {};
  Handle<Constraint> bias_constraint = {};
  double dropout = 0;            // of the inputs, in training
  double recurrent_dropout = 0;  // of the state
  std::optional<int64_t> seed = {};
  int64_t implementation = 2;  // 1, and recurrent dropout: a dropout mask for each gate
  std::string name = {};
};

/// One step of an LSTM (Hochreiter and Schmidhuber 1997), gates in the order i, f, c, o: {x (batch, in), h, c (batch,
/// units)} to {output, h, c}, the output being h. Weights: kernel (in, 4 units), recurrent_kernel (units, 4 units),
/// bias (4 units,). As keras.layers.LSTMCell. Throws InvalidArgument on units that are not positive, rates outside of
/// [0, 1) and an unknown activation.
class LSTMCell : public LayerHandle {
 public:
  explicit LSTMCell(int64_t units, LSTMCellOptions options = {});
  static LSTMCell from_config(const Config& config);
};

}  // namespace tandem::layers

namespace tandem {

class RecurrentCell;
struct CellSettings;

std::shared_ptr<RecurrentCell> make_lstm_cell(int64_t units, const CellSettings& settings, const std::string& name);

}  // namespace tandem

#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct GRUCellOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
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
  bool reset_after = true;       // the reset gate works on the state's product, not on the state
  std::optional<int64_t> seed = {};
  int64_t implementation = 2;  // 1, and recurrent dropout: a dropout mask for each gate
  std::string name = {};
};

/// One step of a GRU (Cho et al. 2014), gates in the order z, r, h: {x (batch, in), h (batch, units)} to {output, h},
/// which are the same. Weights: kernel (in, 3 units), recurrent_kernel (units, 3 units), bias (2, 3 units) with
/// reset_after, for inputs and state, else (3 units,). As keras.layers.GRUCell. Throws InvalidArgument on units that
/// are not positive, rates outside of [0, 1) and an unknown activation.
class GRUCell : public LayerHandle {
 public:
  explicit GRUCell(int64_t units, GRUCellOptions options = {});
  static GRUCell from_config(const Config& config);
};

}  // namespace tandem::layers

namespace tandem {

class RecurrentCell;
struct CellSettings;

std::shared_ptr<RecurrentCell> make_gru_cell(int64_t units, const CellSettings& settings, bool reset_after,
                                             const std::string& name);

}  // namespace tandem

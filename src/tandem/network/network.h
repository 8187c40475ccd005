#pragma once
#include <string>
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"
#include "tandem/layers/layer.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/network/step.h"

namespace tandem {

/// A layer that is made of layers: a graph, a chain, or a user's subclass. Knows no loss, optimizer or rank.
class Network : public Layer {
 public:
  /// The layers in Keras's order, each once.
  virtual std::vector<LayerHandle> layers() const = 0;
  /// Shapes with the batch in front; empty while the network does not know them yet.
  virtual Shapes input_shapes() const = 0;
  virtual std::vector<std::string> output_names() const = 0;

  std::vector<std::shared_ptr<Layer>> children() const override;
  Lowering lowering() const override { return Lowering::kNone; }
  /// The layers whose outputs are the network's; none where only a call can tell.
  virtual std::vector<std::shared_ptr<Layer>> output_layers() const { return {}; }

  /// Copies of all weights in Keras's layout and order, row-major.
  std::vector<Tensor> get_weights() const;
  /// Throws InvalidArgument naming the weight when number or shapes differ; nothing is changed then.
  void set_weights(const std::vector<Tensor>& values);

  /// What fit does with the rows of one step, on each replica, as keras.Model.train_step: forward, loss, update,
  /// metrics.
  virtual void train_step(Step& step);
  /// What evaluate does with them.
  virtual void test_step(Step& step);
  /// Inputs as networks take them: reals as float32, as Keras casts them, whole numbers as they are. Throws
  /// InvalidArgument on complex ones.
  Tensors as_inputs(const Tensors& x) const;
  /// The network's outputs for a batch. Throws InvalidArgument unless each has a row for every row of the first input.
  Tensors outputs(const Tensors& x, const CallContext& context);
  /// `made`, the outputs of a call by hand for `rows` rows, as outputs gives them.
  Tensors checked_outputs(Tensors made, int64_t rows, const CallContext& context) const;

  /// Sum of the weights' penalties with the values of the running replica; undefined when there are none.
  Tensor regularization() const;
};

}  // namespace tandem

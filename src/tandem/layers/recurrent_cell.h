#pragma once
#include <functional>

#include "tandem/layers/layer.h"

namespace tandem {

/// What a cell works through, its steps in the order in which they are computed.
struct Sequence {
  Tensor x;        // (steps, rows, ...)
  Tensors states;  // before the first step, (rows, ...) each
  Tensor mask;     // bool (steps, rows, ...), false where a step does not count; undefined: all do
  bool all_outputs = false;
  bool zero_output_for_mask = false;
};

struct SequenceResult {
  Tensor outputs;  // (steps, rows, ...), or only the last step's (rows, ...)
  Tensors states;  // after the last step
};

/// One step of a recurrent layer, as a cell of keras.layers.RNN; built in or a user's own. A cell declares weights in
/// build, which gets the shape of one step's input (batch, ...).
///
///     struct Minimal : RecurrentCell {
///       void build(const Shape& input) override { kernel = add_weight("kernel", {input.back(), 8}); ... }
///       Shapes state_shapes() const override { return {{8}}; }
///       Tensors step(const Tensor& x, const Tensors& states, const CallContext&) override {
///         const Tensor h = at::tanh(at::matmul(x, kernel.value()) + at::matmul(states[0], recurrent.value()));
///         return {h, h};
///       }
///     };
///     auto rnn = RNN(make_layer<Minimal>());
///
/// As a layer it takes {x, states...} and gives {output, new states...}.
class RecurrentCell : public Layer {
 public:
  /// Without the batch. Asked for once the cell is built.
  virtual Shapes state_shapes() const = 0;
  /// Without the batch; the first state's unless overridden.
  virtual Shape step_output_shape() const { return state_shapes().front(); }
  /// {output, new states...} for one step's x (rows, ...). Called on replica threads at the same time.
  virtual Tensors step(const Tensor& x, const Tensors& states, const CallContext& context) = 0;
  /// All steps; the default makes them one by one. A step that the mask leaves out keeps the states and repeats the
  /// last output, zeros at first.
  virtual SequenceResult run(const Sequence& sequence, const CallContext& context);

  void build_many(const Shapes& inputs) override { build(inputs.front()); }
  Tensors call_many(const Tensors& inputs, const CallContext& context) override;
  Shapes output_shapes(const Shapes& inputs) override;
};

/// {output, new states...} of step number `t`.
using StepFunction = std::function<Tensors(int64_t t, const Tensors& states)>;

/// `step` for each step of the sequence, with its mask.
SequenceResult run_steps(const Sequence& sequence, const StepFunction& step);

}  // namespace tandem

#include "tandem/layers/recurrent_cell.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/masks.h"

namespace tandem {
namespace {

// `fresh` where the step counts, else `old`, or zeros where there is none.
Tensor where_counted(const Tensor& counts, const Tensor& fresh, const Tensor& old) {
  return at::where(mask_like(counts, fresh), fresh, old.defined() ? old : at::zeros_like(fresh));
}

}  // namespace

SequenceResult run_steps(const Sequence& sequence, const StepFunction& step) {
  SequenceResult result{{}, sequence.states};
  std::vector<Tensor> outputs;
  Tensor last;
  for (int64_t t = 0; t < sequence.x.size(0); ++t) {
    const Tensors made = step(t, result.states);
    Tensor output = made[0];
    Tensors states(std::vector<Tensor>(made.begin() + 1, made.end()));
    if (sequence.mask.defined()) {
      const Tensor counts = sequence.mask[t];
      output = where_counted(counts, output, sequence.zero_output_for_mask ? Tensor() : last);
      for (int64_t i = 0; i < states.size(); ++i) states[i] = where_counted(counts, states[i], result.states[i]);
    }
    result.states = states;
    last = output;
    if (sequence.all_outputs) outputs.push_back(output);
  }
  result.outputs = sequence.all_outputs ? at::stack(outputs) : last;
  return result;
}

SequenceResult RecurrentCell::run(const Sequence& sequence, const CallContext& context) {
  return run_steps(sequence, [&](int64_t t, const Tensors& states) {
    Tensors made = step(sequence.x[t], states, context.part(static_cast<uint64_t>(t)));
    if (made.size() != states.size() + 1) {
      throw InvalidArgument(c10::str("layer '", name(), "' (", class_name(), "): step must return an output and ",
                                     states.size(), " states, got ", made.size(), " tensors"));
    }
    return made;
  });
}

Tensors RecurrentCell::call_many(const Tensors& inputs, const CallContext& context) {
  if (inputs.size() != static_cast<int64_t>(state_shapes().size()) + 1) {
    throw InvalidArgument(c10::str("layer '", name(), "' (", class_name(), "): must get one step's input and ",
                                   state_shapes().size(), " states, got ", inputs.size(), " tensors"));
  }
  return step(inputs.front(), Tensors(std::vector<Tensor>(inputs.begin() + 1, inputs.end())), context);
}

Shapes RecurrentCell::output_shapes(const Shapes& inputs) {
  const int64_t batch = inputs.front()[0];
  Shapes shapes{step_output_shape().with_batch(batch)};
  for (const auto& state : state_shapes()) shapes.push_back(state.with_batch(batch));
  return shapes;
}

}  // namespace tandem

#pragma once
#include "tandem/layers/fused_sequence.h"

namespace tandem {

struct LstmStates {
  FusedStates h;
  Tensor c;  // after the last step
};

/// All steps of an LSTM with sigmoid gates and tanh: a product and one element-wise kernel a step, forward and
/// backward, and one product for the recurrent kernel's gradient. `z`: the inputs' part of the gates i, f, g, o (steps,
/// rows, 4 units), which is overwritten; `recurrent` (units, 4 units); `h` and `c` (rows, units) before the first step;
/// `mask` bool (steps, rows) or undefined. float32 on the CPU. Its gradients have none.
LstmStates lstm_sequence(const Tensor& z, const Tensor& recurrent, const Tensor& h, const Tensor& c,
                         const Tensor& mask);

}  // namespace tandem

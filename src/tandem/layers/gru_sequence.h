#pragma once
#include "tandem/layers/fused_sequence.h"

namespace tandem {

/// All steps of a GRU whose reset gate works on the product with the recurrent kernel, with sigmoid gates and tanh: a
/// product and one element-wise kernel a step, forward and backward, and one product for the recurrent kernel's
/// gradient. `x`: the inputs' part of the gates z, r, h (steps, rows, 3 units), which is overwritten; `recurrent`
/// (units, 3 units); `bias` (3 units,) of the state's part, or undefined; `h` (rows, units) before the first step;
/// `mask` bool (steps, rows) or undefined. float32 on the CPU. Its gradients have none.
FusedStates gru_sequence(const Tensor& x, const Tensor& recurrent, const Tensor& bias, const Tensor& h,
                         const Tensor& mask);

}  // namespace tandem

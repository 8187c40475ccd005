#pragma once
#include "tandem/core/tensor.h"

namespace tandem {

/// x, with what is below `low` (above `high`) replaced by it. Values on a bound keep their gradient, as in TensorFlow;
/// whether at::clamp gives them one depends on LibTorch's version.
Tensor clip_below(const Tensor& x, double low);
Tensor clip(const Tensor& x, double low, double high);

/// Keras's clipping of probabilities: to [1e-7, 1 - 1e-7].
Tensor clip_probabilities(const Tensor& p);

}  // namespace tandem

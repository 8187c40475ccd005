#include "tandem/losses/clip.h"

#include <ATen/ATen.h>

namespace tandem {

Tensor clip_below(const Tensor& x, double low) { return x.masked_fill(x.lt(low), low); }

Tensor clip(const Tensor& x, double low, double high) { return clip_below(x, low).masked_fill(x.gt(high), high); }

Tensor clip_probabilities(const Tensor& p) { return clip(p, 1e-7, 1 - 1e-7); }

}  // namespace tandem

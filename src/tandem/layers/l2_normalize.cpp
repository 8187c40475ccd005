#include "tandem/layers/l2_normalize.h"

#include <ATen/ATen.h>

namespace tandem {

Tensor l2_normalize(const Tensor& x, c10::IntArrayRef axes, double epsilon) {
  return x * (x * x).sum(axes, /*keepdim=*/true).clamp_min(epsilon * epsilon).rsqrt();
}

}  // namespace tandem

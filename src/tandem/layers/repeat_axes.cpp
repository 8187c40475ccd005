#include "tandem/layers/repeat_axes.h"

#include <ATen/ATen.h>
#include <c10/util/SmallVector.h>

namespace tandem {

Tensor repeat_axes(const Tensor& x, c10::ArrayRef<int64_t> factors) {
  c10::SmallVector<int64_t, 8> apart{x.size(0)}, repeated{x.size(0)};
  c10::SmallVector<int64_t, 5> sizes{x.size(0)};
  for (std::size_t axis = 0; axis < factors.size(); ++axis) {
    const int64_t n = x.size(static_cast<int64_t>(axis) + 1);
    apart.append({n, 1});
    repeated.append({n, factors[axis]});
    sizes.push_back(n * factors[axis]);
  }
  apart.push_back(x.size(-1));
  repeated.push_back(x.size(-1));
  sizes.push_back(x.size(-1));
  return x.reshape(apart).expand(repeated).reshape(sizes);
}

}  // namespace tandem

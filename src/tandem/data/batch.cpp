#include "tandem/data/batch.h"

#include <algorithm>

namespace tandem::data {

bool Batch::weighted() const {
  return std::any_of(weights.begin(), weights.end(), [](const Tensor& one) { return one.defined(); });
}

Tensor Batch::weights_of(int64_t output) const {
  if (weights.empty()) return {};
  return weights.size() == 1 ? weights.front() : weights[output];
}

Batch Batch::slice(int64_t begin, int64_t end) const {
  return each([&](const Tensor& one) { return one.slice(0, begin, end); });
}

}  // namespace tandem::data

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
  Batch part;
  for (const Tensor& one : x) part.x.push_back(one.slice(0, begin, end));
  for (const Tensor& one : y) part.y.push_back(one.slice(0, begin, end));
  for (const Tensor& one : weights) part.weights.push_back(one.defined() ? one.slice(0, begin, end) : one);
  return part;
}

}  // namespace tandem::data

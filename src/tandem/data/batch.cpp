#include "tandem/data/batch.h"

namespace tandem::data {

Batch Batch::slice(int64_t begin, int64_t end) const {
  Batch part;
  for (const Tensor& one : x) part.x.push_back(one.slice(0, begin, end));
  for (const Tensor& one : y) part.y.push_back(one.slice(0, begin, end));
  if (weights.defined()) part.weights = weights.slice(0, begin, end);
  return part;
}

}  // namespace tandem::data

#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tandem/distribution/flat_weights.h"

namespace tandem::distribute {

/// Neighbouring weights of a flat buffer whose gradients travel together.
struct GradientBucket {
  int64_t begin = 0, end = 0;        // elements of the buffer, padding included
  std::vector<std::size_t> weights;  // indexes
  std::string what;                  // "gradient bucket 2 (kernel, bias, ...)", for messages
};

/// Cuts the buffer of `weights` into buckets of at most `most_bytes`, unless one weight alone is larger. One after the
/// other as the buffer is laid out: the first one holds the gradients that backward makes first.
std::vector<GradientBucket> make_buckets(const FlatWeights& weights, int64_t most_bytes);
/// Of the weights (by index) for which `chosen` holds alone.
std::vector<GradientBucket> make_buckets(const FlatWeights& weights, int64_t most_bytes,
                                         const std::function<bool(std::size_t)>& chosen);

}  // namespace tandem::distribute

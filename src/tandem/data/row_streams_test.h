#pragma once
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include <cstdint>
#include <vector>

#include "tandem/core/random.h"

namespace tandem::data {

/// A stream for each of `rows` rows, as BatchMaker gives them to transforms.
inline std::vector<RandomStream> row_streams(int64_t rows, uint64_t key = 77) {
  std::vector<RandomStream> out;
  for (int64_t i = 0; i < rows; ++i) out.push_back(RandomStream(key).fold(static_cast<uint64_t>(i)));
  return out;
}

/// `rows` times one picture of its own coordinates, (rows, height, width, 2): where a pixel came from is what it holds.
inline Tensor coordinates(int64_t rows, int64_t height, int64_t width) {
  Tensor x = at::empty({1, height, width, 2});
  x.select(3, 0).copy_(at::arange(height).reshape({1, height, 1}));
  x.select(3, 1).copy_(at::arange(width).reshape({1, 1, width}));
  return x.expand({rows, height, width, 2}).contiguous();
}

}  // namespace tandem::data

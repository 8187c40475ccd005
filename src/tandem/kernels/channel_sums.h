#pragma once
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tandem::kernels {

/// Rows of a matrix (rows, channels) that are summed in float32 before the sums go to float64: few enough that a block
/// stays in the first-level cache and that rounding stays small.
inline int64_t rows_per_block(int64_t channels) { return std::clamp<int64_t>(8192 / channels, 8, 64); }

/// Two sums for each channel of a matrix of `rows` rows: first all channels' first, then their second.
/// `add(first, end, sums)` adds the rows [first, end) to its own 2 * channels sums. The rows are divided into chunks by
/// their number alone, so the result is the same to the bit for any number of threads.
template <class Add>
std::vector<double> channel_sums(int64_t rows, int64_t channels, const Add& add) {
  constexpr int64_t kMostChunks = 64, kLeastRows = 256;
  const int64_t per_chunk = std::max((rows + kMostChunks - 1) / kMostChunks, kLeastRows);
  const int64_t chunks = (rows + per_chunk - 1) / per_chunk, count = 2 * channels;
  std::vector<double> partial(static_cast<std::size_t>(chunks * count));
  at::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      add(i * per_chunk, std::min((i + 1) * per_chunk, rows), partial.data() + i * count);
  });
  for (int64_t i = 1; i < chunks; ++i) {
    for (int64_t k = 0; k < count; ++k)
      partial[static_cast<std::size_t>(k)] += partial[static_cast<std::size_t>(i * count + k)];
  }
  partial.resize(static_cast<std::size_t>(count));
  return partial;
}

}  // namespace tandem::kernels

#pragma once
#include <algorithm>
#include <cstdint>

namespace tandem::comm {

/// Elements [begin, end) of a tensor.
struct Span {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

/// Slice `part` of `count` elements in `parts`, cut at multiples of 64 elements, at least a cache line, so that no two
/// ranks write to one. Slices may be empty.
inline Span slice(int64_t count, int64_t parts, int64_t part) {
  constexpr int64_t kLine = 64;
  const int64_t lines = (count + kLine - 1) / kLine;
  const auto edge = [&](int64_t p) { return std::min(count, (lines * p / parts) * kLine); };
  return {edge(part), edge(part + 1)};
}

}  // namespace tandem::comm

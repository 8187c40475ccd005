#include "tandem/comm/sum_tree.h"

#include <ATen/Dispatch.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>

#include "tandem/comm/short_floats.h"
#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

// Elements that are added up at a time: blocks of a few ranks stay in the first-level cache.
template <class T>
constexpr int64_t kBlock = 4096 / static_cast<int64_t>(sizeof(T));

// 16-bit floating point numbers are handled as their bits: around objects of a class loops are not made vector code.
template <class T>
T plus(T a, T b) {
  return static_cast<T>(a + b);
}
[[gnu::always_inline]] inline uint16_t plus(c10::Half a, c10::Half b) { return narrow_to_half(widen(a) + widen(b)); }
[[gnu::always_inline]] inline uint16_t plus(c10::BFloat16 a, c10::BFloat16 b) {
  return narrow_to_bfloat16(widen(a) + widen(b));
}

template <class T>
void set(T& to, T value) {
  to = value;
}
[[gnu::always_inline]] inline void set(c10::Half& to, uint16_t bits) { to.x = bits; }
[[gnu::always_inline]] inline void set(c10::BFloat16& to, uint16_t bits) { to.x = bits; }

// `sum` may be `a` or `b`, but overlaps neither otherwise.
template <class T>
void add_blocks(const T* a, const T* b, T* sum, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) set(sum[j], plus(a[j], b[j]));
}

// The same with two copies of the sum: the case of two ranks, which reads and writes everything once.
template <class T>
void add_blocks_twice(const T* a, const T* b, T* sum, T* copy, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const auto s = plus(a[j], b[j]);
    set(sum[j], s);
    set(copy[j], s);
  }
}

int64_t middle(int64_t first, int64_t last) { return first + (last - first + 1) / 2; }

// Where n elements from `begin` on of the sum over ranks [first, last) are: in `block`, or with one rank in its tensor.
template <class T>
const T* sum_of_ranks(const void* const* addends, int64_t first, int64_t last, int64_t begin, int64_t n, T* block) {
  if (last - first == 1) return static_cast<const T*>(addends[first]) + begin;
  alignas(64) T other[kBlock<T>];
  const int64_t split = middle(first, last);
  const T* a = sum_of_ranks<T>(addends, first, split, begin, n, block);
  const T* b = sum_of_ranks<T>(addends, split, last, begin, n, other);
  add_blocks(a, b, block, n);
  return block;
}

template <class T>
void sum_span(const void* const* addends, int64_t count, void* const* results, int64_t result_count, Span span) {
  alignas(64) T left[kBlock<T>], right[kBlock<T>];
  for (int64_t begin = span.begin; begin < span.end; begin += kBlock<T>) {
    const int64_t n = std::min(kBlock<T>, span.end - begin);
    const auto result = [&](int64_t r) { return static_cast<T*>(results[r]) + begin; };
    int64_t written = 1;
    if (count == 1) {
      const T* only = static_cast<const T*>(addends[0]) + begin;
      if (result(0) != only) std::copy_n(only, n, result(0));
    } else {
      // The last addition alone writes to the results: they may be addends.
      const int64_t split = middle(0, count);
      const T* a = sum_of_ranks<T>(addends, 0, split, begin, n, left);
      const T* b = sum_of_ranks<T>(addends, split, count, begin, n, right);
      if (result_count == 1) {
        add_blocks(a, b, result(0), n);
      } else {
        add_blocks_twice(a, b, result(0), result(1), n);
        written = 2;
      }
    }
    for (int64_t r = written; r < result_count; ++r)
      std::memcpy(result(r), result(0), static_cast<std::size_t>(n) * sizeof(T));
  }
}

}  // namespace

void sum_along_tree(c10::ScalarType type, const void* const* addends, int64_t count, void* const* results,
                    int64_t result_count, Span span) {
  if (result_count == 0) return;
  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, type, "sum_along_tree",
                             [&] { sum_span<scalar_t>(addends, count, results, result_count, span); });
}

void check_adds_up(c10::ScalarType type, const char* where) {
  switch (type) {
    case at::kByte:
    case at::kChar:
    case at::kShort:
    case at::kInt:
    case at::kLong:
    case at::kHalf:
    case at::kBFloat16:
    case at::kFloat:
    case at::kDouble:
      return;
    default:
      throw InvalidArgument(c10::str(where, ": must get numbers that add up, got ", type));
  }
}

}  // namespace tandem::comm

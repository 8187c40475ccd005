#pragma once
#include <cstdint>

#include "tandem/core/mix_bits.h"

namespace tandem::data {

/// How many rows, and a hash of which ones: equal whatever their order, unequal where one is missing or comes twice.
struct RowSum {
  int64_t count = 0;
  uint64_t hash = 0;

  void add(int64_t row) {
    hash += mix_bits(static_cast<uint64_t>(row));
    ++count;
  }
  RowSum& operator+=(const RowSum& other) {
    count += other.count;
    hash += other.hash;
    return *this;
  }
  bool operator==(const RowSum&) const = default;
};

template <class Rows>
RowSum sum_of(const Rows& rows) {
  RowSum sum;
  for (const auto row : rows) sum.add(row);
  return sum;
}

}  // namespace tandem::data

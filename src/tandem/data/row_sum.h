#pragma once
#include <cstdint>

namespace tandem::data {

/// How many rows, and a hash of which ones: equal whatever their order, unequal where one is missing or comes twice.
struct RowSum {
  int64_t count = 0;
  uint64_t hash = 0;

  void add(int64_t row) {
    // The finaliser of splitmix64 (Steele et al. 2014).
    uint64_t z = static_cast<uint64_t>(row) + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    hash += z ^ (z >> 31);
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

#pragma once
#include <cstdint>
#include <vector>

namespace tandem::data {

/// `rows` divided among `parts` as evenly as it goes: the first get one more where it does not go.
inline std::vector<int64_t> divide_rows(int64_t rows, int64_t parts) {
  std::vector<int64_t> counts;
  for (int64_t part = 0; part < parts; ++part) counts.push_back(rows / parts + (part < rows % parts ? 1 : 0));
  return counts;
}

}  // namespace tandem::data

#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tandem::report {

struct Tick {
  double value = 0;
  std::string label;
};

/// Round numbers within [low, high]: multiples of 1, 2 or 5 times a power of ten, at most `most` of them and as many as
/// that allows; `whole`: only whole numbers. Labels of one axis have the same number of decimals, or a power of ten
/// ("2e6") where they would be long. `low` < `high`, both finite; `most` >= 2.
std::vector<Tick> nice_ticks(double low, double high, int64_t most, bool whole = false);

/// [low, high] widened by `share` of its length at each end; a range without length, up to rounding, is given one.
std::pair<double, double> padded_range(double low, double high, double share);

}  // namespace tandem::report

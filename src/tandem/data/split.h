#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/data/dataset.h"

namespace tandem::data {

struct SplitOptions {
  bool shuffle = true;                         // false: the parts keep the order of the rows
  std::optional<int64_t> seed = std::nullopt;  // without one the key comes from set_random_seed's stream
  bool stratify = false;                       // each part gets its share of every class
};

/// Parts of `dataset` as a vector; see the template below.
std::vector<Dataset> split_parts(const Dataset& dataset, std::span<const double> fractions,
                                 const SplitOptions& options);

/// Disjoint parts of a data set: `auto [train, test] = split(digits, {0.8, 0.2}, {.seed = 4, .stratify = true})`. Part
/// sizes are the fractions of the rows by largest remainder; fractions that sum to less than 1 leave rows out. With
/// `stratify` the same holds for every class of y (whole numbers, or one-hot rows). Transforms, batch size and prefetch
/// go on to the parts. Throws InvalidArgument when a fraction is not positive, the sum is above 1, a part would be
/// empty, or the data set is shuffled already.
template <std::size_t N>
std::array<Dataset, N> split(const Dataset& dataset, const double (&fractions)[N], const SplitOptions& options = {}) {
  auto parts = split_parts(dataset, fractions, options);
  std::array<Dataset, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = std::move(parts[i]);
  return out;
}

}  // namespace tandem::data

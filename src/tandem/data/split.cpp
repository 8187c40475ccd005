#include "tandem/data/split.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/data/subset_source.h"

namespace tandem::data {
namespace {

constexpr double kRounding = 1e-9;

using Rows = std::vector<int64_t>;

// Whole numbers with the sum `total` that are nearest to total * share / (sum of the shares): all are rounded down, the
// largest remainders get one more, the first of equal ones before the others.
std::vector<int64_t> largest_remainder(int64_t total, const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<int64_t> counts;
  std::vector<double> remainders;
  for (const double share : shares) {
    const double quota = static_cast<double>(total) * share / sum;
    counts.push_back(static_cast<int64_t>(std::floor(quota + kRounding)));
    remainders.push_back(quota - static_cast<double>(counts.back()));
  }
  std::vector<std::size_t> by_remainder(shares.size());
  std::iota(by_remainder.begin(), by_remainder.end(), std::size_t{0});
  std::stable_sort(by_remainder.begin(), by_remainder.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b] + kRounding; });
  const int64_t left = total - std::accumulate(counts.begin(), counts.end(), int64_t{0});
  for (int64_t i = 0; i < left; ++i) ++counts[by_remainder[static_cast<std::size_t>(i)]];
  return counts;
}

std::vector<int64_t> part_sizes(int64_t rows, std::span<const double> fractions) {
  std::vector<double> shares;
  double sum = 0;
  for (const double fraction : fractions) {
    if (!(fraction > 0)) throw InvalidArgument(c10::str("split: fractions must be positive, got ", fraction));
    shares.push_back(fraction);
    sum += fraction;
  }
  if (sum > 1 + kRounding) throw InvalidArgument(c10::str("split: the fractions must sum to at most 1, got ", sum));
  if (sum < 1 - kRounding) shares.push_back(1 - sum);
  auto sizes = largest_remainder(rows, shares);
  sizes.resize(fractions.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) {
      throw InvalidArgument(c10::str("split: part ", i, " (", fractions[i], " of ", rows, " rows) would have no rows"));
    }
  }
  return sizes;
}

std::vector<int64_t> class_labels(const Dataset& dataset) {
  Tensor y = dataset.y();
  if (y.dim() == 2 && y.size(1) == 1) y = y.squeeze(1);
  if (y.dim() == 2) y = y.argmax(1);
  if (y.dim() != 1 || at::isFloatingType(y.scalar_type())) {
    throw InvalidArgument(c10::str("split: stratify needs whole-number labels or one-hot rows, got y of ",
                                   y.scalar_type(), " ", Shape::of(y.sizes().vec())));
  }
  y = y.to(at::kLong).contiguous();
  return {y.const_data_ptr<int64_t>(), y.const_data_ptr<int64_t>() + y.numel()};
}

// Part after part takes from each class what the class still has to the part's share of what is left.
std::vector<Rows> stratified(const Rows& rows, const std::vector<int64_t>& labels, const std::vector<int64_t>& sizes) {
  std::map<int64_t, Rows> classes;
  for (const int64_t row : rows) classes[labels[static_cast<std::size_t>(row)]].push_back(row);
  std::map<int64_t, std::size_t> used;
  std::vector<Rows> parts;
  for (const int64_t size : sizes) {
    std::vector<double> left;
    for (const auto& [label, members] : classes) left.push_back(static_cast<double>(members.size() - used[label]));
    const auto counts = largest_remainder(size, left);
    Rows part;
    std::size_t i = 0;
    for (const auto& [label, members] : classes) {
      const auto from = members.begin() + static_cast<std::ptrdiff_t>(used[label]);
      part.insert(part.end(), from, from + counts[i]);
      used[label] += static_cast<std::size_t>(counts[i++]);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Rows> consecutive(const Rows& rows, const std::vector<int64_t>& sizes) {
  std::vector<Rows> parts;
  auto from = rows.begin();
  for (const int64_t size : sizes) {
    parts.emplace_back(from, from + size);
    from += size;
  }
  return parts;
}

// The settings of `dataset` on other rows.
Dataset like(const Dataset& dataset, std::shared_ptr<const Source> source) {
  Dataset part(std::move(source));
  for (const auto& transform : dataset.transforms()) part = part.map(transform);
  if (dataset.batch_size() > 0) part = part.batch(dataset.batch_size(), dataset.drop_remainder());
  return part.prefetch(dataset.prefetch_batches(), dataset.workers());
}

}  // namespace

std::vector<Dataset> split_parts(const Dataset& dataset, std::span<const double> fractions,
                                 const SplitOptions& options) {
  dataset.require_rows("split");
  if (dataset.size() == 0) throw DataError("split: the data set has no rows");
  if (dataset.is_shuffled())
    throw InvalidArgument("split: the data set is shuffled already; split first, then shuffle the parts");
  const auto sizes = part_sizes(dataset.size(), fractions);
  const RandomStream key = options.seed ? RandomStream(static_cast<uint64_t>(*options.seed)) : random_root();
  Rows rows(static_cast<std::size_t>(dataset.size()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  if (options.shuffle) rows = key.fold("split").permutation(dataset.size());

  auto parts = options.stratify ? stratified(rows, class_labels(dataset), sizes) : consecutive(rows, sizes);
  std::vector<Dataset> out;
  for (Rows& part : parts) {
    // A stratified part lies there class by class.
    if (!options.shuffle) std::sort(part.begin(), part.end());
    if (options.shuffle && options.stratify) {
      const auto places = key.fold("part").fold(out.size()).permutation(static_cast<int64_t>(part.size()));
      Rows mixed;
      for (const int64_t place : places) mixed.push_back(part[static_cast<std::size_t>(place)]);
      part = std::move(mixed);
    }
    out.push_back(like(dataset, std::make_shared<SubsetSource>(dataset.source(), std::move(part))));
  }
  return out;
}

}  // namespace tandem::data

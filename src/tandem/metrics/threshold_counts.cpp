#include "tandem/metrics/threshold_counts.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tandem {
namespace {

constexpr double kEpsilon = 1e-7;  // Keras's: how far the open ends lie outside of [0, 1]

// Keras's numpy.allclose(values, evenly spread ones, atol=1e-7).
bool evenly_spread(const std::vector<double>& values) {
  if (values.size() < 3) return false;
  const auto last = static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto even = static_cast<double>(static_cast<float>(static_cast<double>(i) / last));
    if (!(std::abs(values[i] - even) <= kEpsilon + 1e-5 * even)) return false;
  }
  return true;
}

std::vector<double> even_values(int64_t count) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i) / static_cast<double>(count - 1));
  return values;
}

}  // namespace

Thresholds::Thresholds(std::vector<double> values) : Thresholds(values, evenly_spread(values), false) {}

Thresholds::Thresholds(std::vector<double> values, bool even, bool open)
    : values_(std::move(values)), even_(even), open_(open) {
  if (!std::is_sorted(values_.begin(), values_.end())) {
    order_.resize(values_.size());
    std::iota(order_.begin(), order_.end(), int64_t{0});
    const auto value = [&](int64_t i) { return values_[static_cast<std::size_t>(i)]; };
    std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return value(a) < value(b); });
  }
  ascending_ = std::get<0>(at::tensor(values_, at::kDouble).sort()).to(at::kFloat);
}

Thresholds Thresholds::even(int64_t count, bool open) {
  auto values = even_values(count);
  if (open) {
    values.front() -= kEpsilon;
    values.back() += kEpsilon;
  }
  return Thresholds(std::move(values), true, open);
}

Thresholds Thresholds::between_open_ends(std::vector<double> inner) {
  std::sort(inner.begin(), inner.end());
  inner.insert(inner.begin(), 0);
  inner.push_back(1);
  const bool even = evenly_spread(inner);
  inner.front() -= kEpsilon;
  inner.back() += kEpsilon;
  return Thresholds(std::move(inner), even, true);
}

Tensor Thresholds::passed(const Tensor& prediction) const {
  const Tensor values = prediction.to(at::kFloat).contiguous();
  Tensor above;
  if (even_) {
    above = values.clamp(0, 1).mul_(static_cast<double>(count() - 1)).ceil_();
    if (open_) above.clamp_min_(1);
    above = above.nan_to_num_(0);
  } else {
    // The number of thresholds that are smaller. NaN is sorted behind all of them, but greater than none.
    above = at::bucketize(values, ascending_.to(values.device())).masked_fill_(values.isnan(), 0);
  }
  return above.to(at::kLong);
}

ThresholdCounts Thresholds::count(const Tensor& truth, const Tensor& prediction, const Tensor& weights,
                                  bool by_label) const {
  // One histogram of (positive or not, thresholds passed, label) leaves the device.
  const int64_t labels = by_label ? prediction.size(-1) : 1, passes = count() + 1;
  Tensor place = truth.ne(0).to(at::kLong).mul_(passes).add_(passed(prediction));
  if (by_label) place = place * labels + at::arange(labels, place.options());
  const Tensor weight = weights.defined() ? weights.to(at::kDouble).reshape({-1}) : Tensor();
  const Tensor histogram = at::bincount(place.reshape({-1}), weight, 2 * passes * labels)
                               .to(at::kCPU, at::kDouble)
                               .reshape({2, passes, labels});
  // Row i of the sums: what passes no more than i thresholds, and what passes more.
  const auto below = [&](int64_t row) { return histogram[row].cumsum(0).narrow(0, 0, count()); };
  const auto above = [&](int64_t row) { return histogram[row].flip(0).cumsum(0).flip(0).narrow(0, 1, count()); };
  const auto shaped = [&](Tensor sums) {
    if (!order_.empty()) {
      Tensor given = at::empty_like(sums);
      sums = given.index_copy_(0, at::tensor(order_, at::kLong), sums);
    }
    return by_label ? sums : sums.squeeze(-1);
  };
  return {shaped(above(1)), shaped(above(0)), shaped(below(0)), shaped(below(1))};
}

}  // namespace tandem

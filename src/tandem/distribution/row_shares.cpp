#include "tandem/distribution/row_shares.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kWarmUpSteps = 2;
constexpr int64_t kStepsBetweenChanges = 4;  // so that most batches keep their shapes
constexpr double kNewest = 0.3;              // weight of a step's speed in the smoothed one

}  // namespace

Shares::Shares(const char* text) {
  const std::string all = text;
  automatic_ = all == "auto";
  if (automatic_ || all.empty()) return;
  std::stringstream parts(all);
  std::string part;
  while (std::getline(parts, part, ',')) {
    char* end = nullptr;
    weights_.push_back(std::strtod(part.c_str(), &end));
    if (part.empty() || *end != '\0')
      throw InvalidArgument(c10::str("shares: must be auto or numbers such as 3,1, got '", all, "'"));
  }
}

void Shares::check(int64_t devices) const {
  if (weights_.empty()) return;
  if (static_cast<int64_t>(weights_.size()) != devices) {
    throw InvalidArgument(c10::str("shares: must be one for each of the ", devices, " devices, got ", weights_.size()));
  }
  for (const double w : weights_) {
    if (!(w > 0) || !std::isfinite(w)) throw InvalidArgument(c10::str("shares: must be positive numbers, got ", w));
  }
}

RowShares::RowShares(const Shares& shares, int64_t devices)
    : weights_(shares.weights()), speeds_(static_cast<std::size_t>(devices)), automatic_(shares.automatic()) {
  shares.check(devices);
  if (weights_.empty()) weights_.assign(static_cast<std::size_t>(devices), 1.0);
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (auto& w : weights_) w /= sum;
}

std::vector<int64_t> RowShares::divide(int64_t rows) const {
  std::vector<int64_t> counts;
  std::vector<double> remainders;
  int64_t given = 0;
  for (const double w : weights_) {
    const double exact = w * static_cast<double>(rows);
    // A share that is whole but for rounding is whole.
    const auto count = static_cast<int64_t>(std::floor(exact + 1e-9));
    counts.push_back(count);
    remainders.push_back(std::max(0.0, exact - static_cast<double>(count)));
    given += count;
  }
  for (; given < rows; ++given) {
    std::size_t most = 0;
    for (std::size_t d = 1; d < remainders.size(); ++d) {
      if (remainders[d] > remainders[most] + 1e-9) most = d;
    }
    ++counts[most];
    remainders[most] = -1;
  }
  return counts;
}

void RowShares::observe(const std::vector<double>& seconds, const std::vector<int64_t>& rows) {
  if (!automatic_ || ++observed_ <= kWarmUpSteps) return;
  for (std::size_t d = 0; d < speeds_.size(); ++d) {
    if (rows[d] == 0 || !(seconds[d] > 0)) continue;
    const double speed = static_cast<double>(rows[d]) / seconds[d];
    speeds_[d] = speeds_[d] > 0 ? (1 - kNewest) * speeds_[d] + kNewest * speed : speed;
  }
  if ((observed_ - kWarmUpSteps) % kStepsBetweenChanges != 0) return;
  const double sum = std::accumulate(speeds_.begin(), speeds_.end(), 0.0);
  // Without a speed for every device nothing can be compared.
  if (std::any_of(speeds_.begin(), speeds_.end(), [](double speed) { return !(speed > 0); })) return;
  for (std::size_t d = 0; d < speeds_.size(); ++d) weights_[d] = speeds_[d] / sum;
}

}  // namespace tandem::distribute

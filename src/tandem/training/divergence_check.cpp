#include "tandem/training/divergence_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem {

bool DivergenceCheck::add(double loss) {
  if (told_ || !std::isfinite(loss)) return false;
  sum_ += loss;
  if (++count_ < kWindow) return false;
  const double mean = std::exchange(sum_, 0.0) / static_cast<double>(std::exchange(count_, 0));
  const bool first = least_ < 0;
  grown_ = !first && mean > last_ ? grown_ + 1 : 0;
  last_ = mean;
  least_ = first ? mean : std::min(least_, mean);
  told_ = grown_ >= 2 && mean > kMuch * std::max(least_, kLeast);
  return told_;
}

}  // namespace tandem

#include "tandem/training/divergence_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem {

bool DivergenceCheck::add(double loss, int64_t rows) {
  if (told_ || !std::isfinite(loss)) return false;
  if (!std::exchange(begun_, true) && rows >= kRows) least_ = loss;
  sum_ += loss;
  if (++count_ < kWindow) return false;
  const double mean = std::exchange(sum_, 0.0) / static_cast<double>(std::exchange(count_, 0));
  const bool first = last_ < 0;
  grown_ = !first && mean > last_ ? grown_ + 1 : 0;
  least_ = least_ < 0 ? mean : std::min(least_, mean);
  const bool was_much = std::exchange(is_much_, mean > kMuch * std::max(least_, kLeast));
  const bool falls = mean < kFalls * std::exchange(last_, mean);
  told_ = is_much_ && (grown_ >= 2 || (was_much && !falls));
  return told_;
}

}  // namespace tandem

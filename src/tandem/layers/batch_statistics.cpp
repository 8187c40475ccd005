#include "tandem/layers/batch_statistics.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace tandem {

void BatchStatistics::add(const Averages& averages, const Tensor& mean, const Tensor& variance, double count) {
  const Variable* key = &averages.mean.variable();
  auto& seen = seen_.try_emplace({place_, key}, Seen{averages, {}}).first->second;
  const std::size_t call = calls_[key]++;
  if (call == seen.by_call.size()) seen.by_call.emplace_back();
  seen.by_call[call].push_back({mean.detach(), variance.detach(), count});
}

void BatchStatistics::apply() {
  const c10::NoGradGuard no_grad;
  for (const auto& [key, seen] : seen_) {
    for (const auto& parts : seen.by_call) {
      double count = 0;
      for (const auto& part : parts) count += part.count;
      if (count == 0) continue;
      Tensor mean = at::zeros_like(parts.front().mean), variance = at::zeros_like(mean);
      for (const auto& part : parts) mean.add_(part.mean, part.count / count);
      // The variance within the parts, and that of their means.
      for (const auto& part : parts) variance.add_(part.variance + (part.mean - mean).square(), part.count / count);
      seen.averages.mean.value().lerp_(mean, 1 - seen.averages.momentum);
      seen.averages.variance.value().lerp_(variance, 1 - seen.averages.momentum);
    }
  }
  seen_.clear();
  calls_.clear();
}

}  // namespace tandem

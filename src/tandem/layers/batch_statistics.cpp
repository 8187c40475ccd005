#include "tandem/layers/batch_statistics.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace tandem {

void BatchStatistics::add(const Averages& averages, const Tensor& mean, const Tensor& variance, double count) {
  const Variable* key = &averages.mean.variable();
  const auto [found, is_new] = seen_.try_emplace({place_, key}, Seen{averages, {}});
  if (is_new) order_.push_back(found->first);
  auto& seen = found->second;
  const std::size_t call = calls_[key]++;
  if (call == seen.by_call.size()) seen.by_call.emplace_back();
  seen.by_call[call].push_back({mean.detach(), variance.detach(), count});
}

BatchStatistics::Part BatchStatistics::whole(const std::vector<Part>& parts) {
  double count = 0;
  for (const auto& part : parts) count += part.count;
  Tensor mean = at::zeros_like(parts.front().mean), variance = at::zeros_like(mean);
  if (count == 0) return {mean, variance, 0};
  for (const auto& part : parts) mean.add_(part.mean, part.count / count);
  // The variance within the parts, and that of their means.
  for (const auto& part : parts) variance.add_(part.variance + (part.mean - mean).square(), part.count / count);
  return {mean, variance, count};
}

Tensor BatchStatistics::pack() const {
  const c10::NoGradGuard no_grad;
  std::vector<Tensor> all;
  for (const auto& key : order_) {
    for (const auto& parts : seen_.at(key).by_call) {
      const Part one = whole(parts);
      for (const auto& values : {at::full({1}, one.count, at::kDouble), one.mean, one.variance})
        all.push_back(values.to(at::kDouble));
    }
  }
  return all.empty() ? at::empty({0}, at::kDouble) : at::cat(all);
}

void BatchStatistics::add(const Tensor& packed) {
  int64_t at = 0;
  for (const auto& key : order_) {
    for (auto& parts : seen_.at(key).by_call) {
      const Tensor& like = parts.front().mean;
      const int64_t channels = like.numel();
      const Tensor values = packed.narrow(0, at + 1, 2 * channels).to(like.scalar_type());
      parts.push_back({values.narrow(0, 0, channels).view(like.sizes()),
                       values.narrow(0, channels, channels).view(like.sizes()), packed[at].item<double>()});
      at += 1 + 2 * channels;
    }
  }
}

void BatchStatistics::apply() {
  const c10::NoGradGuard no_grad;
  for (const auto& [key, seen] : seen_) {
    for (const auto& parts : seen.by_call) {
      const Part one = whole(parts);
      if (one.count == 0) continue;
      seen.averages.mean.value().lerp_(one.mean, 1 - seen.averages.momentum);
      seen.averages.variance.value().lerp_(one.variance, 1 - seen.averages.momentum);
    }
  }
  seen_.clear();
  order_.clear();
  calls_.clear();
}

}  // namespace tandem

#include "tandem/losses/overlap_loss.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

#include "tandem/losses/targets.h"

namespace tandem {
namespace {

Config with_axis(Config settings, const std::vector<int64_t>& axis) {
  return settings.set("axis", axis.empty() ? Config() : Config::list(axis));
}

}  // namespace

OverlapLoss::OverlapLoss(std::string class_name, std::string name, std::string reduction, std::vector<int64_t> axis,
                         Rule rule, Config settings)
    : KerasLoss(std::move(class_name), std::move(name), std::move(reduction), with_axis(std::move(settings), axis)),
      axis_(std::move(axis)),
      rule_(std::move(rule)) {}

bool OverlapLoss::over_batch() const {
  return axis_.empty() || std::find(axis_.begin(), axis_.end(), 0) != axis_.end();
}

Reduction OverlapLoss::reduction() const {
  return over_batch() ? Reduction::kSumOverBatchSize : KerasLoss::reduction();
}

Tensor OverlapLoss::call(const Tensor& y_true, const Tensor& y_pred) const {
  return call_over_batch(y_true, y_pred, [](const Tensor& own) { return own; });
}

Tensor OverlapLoss::call_over_batch(const Tensor& y_true, const Tensor& y_pred, const SumOverBatch& sum) const {
  const auto [truth, prediction] = matching_targets(y_true, y_pred, class_name());
  auto axes = axis_;
  if (axes.empty()) {
    axes.resize(static_cast<std::size_t>(prediction.dim()));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  for (const int64_t axis : axes) {
    if (axis != 0) check_axis(axis, prediction, class_name());
  }
  Tensor sums = at::stack({(truth * prediction).sum(axes), truth.sum(axes), prediction.sum(axes)});
  if (over_batch()) sums = sum(sums);
  const Tensor values = rule_(sums[0], sums[1], sums[2]);
  return over_batch() ? values.mean().expand({prediction.size(0)}) : values;
}

}  // namespace tandem

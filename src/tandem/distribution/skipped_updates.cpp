#include "tandem/distribution/skipped_updates.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/log.h"

namespace tandem::distribute {
namespace {

// "dense/kernel": the layer that has it, and its name.
std::string path_of(const Weight& weight, const Layer& layer) {
  for (const auto& own : layer.own_weights()) {
    if (own == weight) return c10::str(layer.name(), "/", weight.name());
  }
  for (const auto& child : layer.children()) {
    if (auto path = path_of(weight, *child); !path.empty()) return path;
  }
  return {};
}

// The least of the ranks' numbers from 0 to `count`; collective.
std::size_t least_of_all(std::size_t own, std::size_t count, const GradientShards& shards) {
  std::size_t least = 0;
  for (std::size_t most = count; least < most;) {
    const std::size_t middle = (least + most) / 2;
    if (shards.sum(own <= middle ? 1 : 0) > 0) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

}  // namespace

std::string first_not_finite(const Layer& model, const std::vector<Weight>& weights,
                             const std::function<bool(std::size_t weight, bool gradient)>& finite,
                             const GradientShards* shards) {
  const c10::NoGradGuard no_grad;
  const auto all = model.weights();  // in the same order on every rank
  const std::size_t none = 2 * all.size();
  std::size_t first = none;
  for (const bool gradient : {false, true}) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (finite(i, gradient)) continue;
      const auto place = std::find(all.begin(), all.end(), weights[i]) - all.begin();
      first = std::min(first, static_cast<std::size_t>(place) + (gradient ? all.size() : 0));
    }
  }
  if (shards) first = least_of_all(first, none, *shards);
  if (first == none) return {};
  const bool gradient = first >= all.size();
  return c10::str(gradient ? "the gradient of weight '" : "weight '", path_of(all[first % all.size()], model), "'");
}

void SkippedUpdates::note(bool made, double scale, bool tells, const std::function<std::string()>& first_not_finite) {
  if (made) {
    in_a_row_ = 0;
    told_at_ = 10;
    return;
  }
  if (++in_a_row_ < told_at_) return;
  const std::string first = first_not_finite();
  if (first.empty()) return;
  told_at_ *= 2;
  if (!tells) return;
  log_warning(c10::str("fit: ", in_a_row_, " updates in a row were left out, since gradients are not finite; the loss ",
                       "scale is now ", scale, ", the first tensor that is not finite is ", first));
}

}  // namespace tandem::distribute

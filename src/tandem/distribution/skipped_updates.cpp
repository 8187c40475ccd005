#include "tandem/distribution/skipped_updates.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/log.h"

namespace tandem::distribute {
namespace {

bool finite(const Tensor& x) { return x.isfinite().all().item<bool>(); }

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

}  // namespace

std::string name_not_finite(const Weight& weight, const Layer& model, bool gradient) {
  return c10::str(gradient ? "the gradient of weight '" : "weight '", path_of(weight, model), "'");
}

std::string first_not_finite(const FlatWeights& weights, const Layer& model) {
  const c10::NoGradGuard no_grad;
  for (const bool gradients : {false, true}) {
    const Tensor& all = gradients ? weights.gradients() : weights.parameters();
    if (finite(all)) continue;
    for (std::size_t i = 0; i < weights.weights().size(); ++i) {
      if (!finite(weights.view(all, i))) return name_not_finite(weights.weights()[i], model, gradients);
    }
  }
  return {};
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

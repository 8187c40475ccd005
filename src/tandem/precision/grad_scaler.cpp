#include "tandem/precision/grad_scaler.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem::precision {
namespace {

void check(bool holds, const char* what, const char* must, double got) {
  if (!holds) throw InvalidArgument(c10::str("GradScaler: ", what, " must be ", must, ", got ", got));
}

}  // namespace

GradScaler::GradScaler(GradScalerOptions options) : options_(std::move(options)), scale_(options_.initial_scale) {
  check(std::isfinite(scale_) && scale_ > 0, "initial_scale", "a finite number > 0", scale_);
  check(options_.growth_factor > 1, "growth_factor", "above 1", options_.growth_factor);
  check(options_.backoff_factor > 0 && options_.backoff_factor < 1, "backoff_factor", "between 0 and 1",
        options_.backoff_factor);
  check(options_.minimum_scale > 0 && options_.minimum_scale <= scale_, "minimum_scale",
        "above 0 and at most initial_scale", options_.minimum_scale);
  check(options_.growth_interval >= 1, "growth_interval", "at least 1", static_cast<double>(options_.growth_interval));
  check(options_.tell_after >= 1, "tell_after", "at least 1", static_cast<double>(options_.tell_after));
}

Tensor GradScaler::scale(const Tensor& loss) const { return loss * scale_; }

std::optional<bool> GradScaler::unscaled(const void* optimizer) const {
  for (const auto& [known, finite] : finite_) {
    if (known == optimizer) return finite;
  }
  return {};
}

void GradScaler::unscale(const void* optimizer, std::vector<Tensor>& gradients) {
  if (unscaled(optimizer)) throw InvalidArgument("GradScaler: unscale must be called once between two updates");
  const c10::NoGradGuard no_grad;
  Tensor found = at::zeros({}, at::kFloat);
  if (!gradients.empty()) {
    const auto on = gradients.front().options().dtype(at::kFloat);
    found = at::zeros({}, on);
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found,
                                                   at::full({}, 1 / scale_, on.dtype(at::kDouble)).to(at::kFloat));
  }
  bool finite = found.item<float>() == 0;
  if (!finite && first_not_finite_.empty()) first_not_finite_ = first_not_finite(gradients);
  if (options_.agree) finite = options_.agree(finite);
  finite_.emplace_back(optimizer, finite);
}

std::string GradScaler::first_not_finite(const std::vector<Tensor>& gradients) const {
  const auto finite = [](const Tensor& x) { return x.isfinite().all().item<bool>(); };
  for (const auto& [name, parameter] : names_) {
    if (parameter.grad().defined() && !finite(parameter.grad())) return c10::str("that of '", name, "'");
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!finite(gradients[i])) return c10::str("the optimizer's number ", i);
  }
  return {};
}

void GradScaler::update() {
  if (finite_.empty()) throw InvalidArgument("GradScaler: step must be called before update");
  const bool finite = std::all_of(finite_.begin(), finite_.end(), [](const auto& one) { return one.second; });
  finite_.clear();
  if (finite) {
    skipped_ = 0;
    if (++made_ == options_.growth_interval) {
      made_ = 0;
      scale_ *= options_.growth_factor;
    }
  } else {
    made_ = 0;
    scale_ = std::max(scale_ * options_.backoff_factor, options_.minimum_scale);
    if (++skipped_ % options_.tell_after == 0) {
      log_warning(c10::str("GradScaler: ", skipped_, " steps in a row were left out; the scale is now ", scale_,
                           ", the first gradient that is not finite is ",
                           first_not_finite_.empty() ? "another rank's" : first_not_finite_));
    }
  }
  first_not_finite_.clear();
}

StateDict GradScaler::state() const {
  StateDict state;
  state.set("scale", scale_);
  state.set("growth_tracker", made_);
  state.set("skipped", skipped_);
  return state;
}

void GradScaler::set_state(const StateDict& state) {
  const double scale = state.number("scale");
  if (!(scale > 0) || !std::isfinite(scale))
    throw DataError(c10::str("GradScaler: scale must be a finite number > 0, is ", scale));
  const int64_t made = state.integer("growth_tracker"), skipped = state.integer("skipped");
  scale_ = scale;
  made_ = made;
  skipped_ = skipped;
}

}  // namespace tandem::precision

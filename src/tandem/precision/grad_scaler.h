#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/state_dict.h"
#include "tandem/core/tensor.h"

namespace tandem::precision {

struct GradScalerOptions {
  double initial_scale = 65536;
  double growth_factor = 2, backoff_factor = 0.5;
  /// So many steps in a row that were made let the scale grow.
  int64_t growth_interval = 2000;
  /// It is never lowered below this.
  double minimum_scale = 1;
  /// After so many steps in a row that were left out a line names the first gradient that is not finite.
  int64_t tell_after = 10;
  /// Gives whether gradients are finite on all ranks, from whether they are on this one: where ranks do not have the
  /// same gradients (those of DistributedDataParallel are the same). Called by every step, on every rank.
  std::function<bool(bool finite)> agree = {};
};

/// Scales the loss so that small gradients do not vanish in float16, and leaves out steps whose gradients overflow, as
/// torch.amp.GradScaler: for training loops of one's own over modules of torch::nn.
///
///     scaler.scale(loss).backward();
///     scaler.step(optimizer);  // divides the gradients by the scale; no step where one is not finite
///     scaler.update();
class GradScaler {
 public:
  /// Throws InvalidArgument on settings out of range.
  explicit GradScaler(GradScalerOptions options = {});

  double scale() const { return scale_; }
  /// Times the scale.
  Tensor scale(const Tensor& loss) const;
  /// Lets lines about a module's gradients name them: its named_parameters().
  template <class Module>
  void name_after(const Module& module) {
    for (const auto& p : module.named_parameters()) names_.emplace_back(p.key(), p.value());
  }

  /// Divides the gradients of a torch::optim::Optimizer's parameters by the scale, once a step: for those who clip them
  /// before step.
  template <class Optimizer>
  void unscale(Optimizer& optimizer) {
    std::vector<Tensor> gradients;
    for (const auto& group : optimizer.param_groups()) {
      for (const auto& p : group.params()) {
        if (p.grad().defined()) gradients.push_back(p.grad());
      }
    }
    unscale(&optimizer, gradients);
  }
  /// Unscales unless that was done, and lets the optimizer step where all gradients are finite: then true.
  template <class Optimizer>
  bool step(Optimizer& optimizer) {
    if (!unscaled(&optimizer)) unscale(optimizer);
    const bool finite = *unscaled(&optimizer);
    if (finite) optimizer.step();
    return finite;
  }
  /// After the step of each optimizer: lowers the scale where one was left out, raises it after growth_interval steps
  /// that were made.
  void update();

  /// Scale and counters, under "scale", "growth_tracker" and "skipped".
  StateDict state() const;
  /// Throws DataError on a state without them.
  void set_state(const StateDict& state);

 private:
  void unscale(const void* optimizer, std::vector<Tensor>& gradients);
  /// Whether the optimizer's gradients are finite; nothing where they are not unscaled yet.
  std::optional<bool> unscaled(const void* optimizer) const;
  std::string first_not_finite(const std::vector<Tensor>& gradients) const;

  GradScalerOptions options_;
  double scale_;
  int64_t made_ = 0, skipped_ = 0;                    // in a row
  std::vector<std::pair<const void*, bool>> finite_;  // of the optimizers whose gradients are unscaled in this step
  std::string first_not_finite_;
  std::vector<std::pair<std::string, Tensor>> names_;
};

}  // namespace tandem::precision

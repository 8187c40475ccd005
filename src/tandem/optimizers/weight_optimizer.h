#pragma once
#include <span>

#include "tandem/optimizers/configured_optimizer.h"

namespace tandem {

/// Base of the optimizers whose rule needs a whole weight: its norm, its rows and columns. `parameter` of update is one
/// weight in its shape. By tensor operations, which take memory for what lies between.
class WeightOptimizer : public ConfiguredOptimizer {
 public:
  using ConfiguredOptimizer::ConfiguredOptimizer;

  bool elementwise() const final { return false; }
  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
              double rate) const final;

 protected:
  /// The rule without gradients; the decay is done. `update` counts from 1.
  virtual void apply(int64_t update, double rate, Tensor& parameter, const Tensor& gradient,
                     std::span<Tensor> slots) const = 0;
};

}  // namespace tandem

#pragma once
#include <span>
#include <string>
#include <vector>

#include "tandem/optimizers/flat_optimizer.h"

namespace tandem {

/// Base of the optimizers whose rule needs a whole weight: its norm, its rows and columns. `parameter` of update is one
/// weight in its shape. By tensor operations, which take memory for what lies between.
class WeightOptimizer : public Optimizer {
 public:
  /// Throws InvalidArgument on a rate, weight decay or clipping out of range.
  explicit WeightOptimizer(FlatSettings settings);

  std::vector<std::string> slots() const final { return settings_.slots; }
  bool elementwise() const final { return false; }
  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
              double rate) const final;

  std::string class_name() const final { return settings_.class_name; }
  /// The common part; a rule adds its own settings.
  Config get_config() const override;

 protected:
  /// The rule without gradients; the decay is done. `update` counts from 1.
  virtual void apply(int64_t update, double rate, Tensor& parameter, const Tensor& gradient,
                     std::span<Tensor> slots) const = 0;

 private:
  FlatSettings settings_;
};

}  // namespace tandem

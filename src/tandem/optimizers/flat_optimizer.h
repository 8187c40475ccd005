#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "tandem/optimizers/configured_optimizer.h"

namespace tandem {

/// Base of the optimizers whose rule treats each element by itself: one pass over memory where parameter, gradient and
/// slots lie flat on the CPU in float32 or float64, tensor operations for other devices, types and memory orders.
class FlatOptimizer : public ConfiguredOptimizer {
 public:
  static constexpr std::size_t kMostSlots = 3;

  using ConfiguredOptimizer::ConfiguredOptimizer;

  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
              double rate) const final;

 protected:
  /// What is the same for all elements of an update.
  struct Step {
    int64_t iteration;
    double rate;
    /// 1 - rate * weight_decay: what a weight keeps before the update.
    double keep;
  };
  /// Neighbouring elements of a weight, its gradient and its slots, in the order of slots().
  template <class T>
  struct Elements {
    T* __restrict weight;
    const T* __restrict gradient;
    std::array<T*, kMostSlots> slots;
    int64_t count;
  };

  /// Elements whose intermediate values stay in registers and the first-level cache: few, so that memory keeps busy.
  static constexpr int64_t kStrip = 32;
  /// Calls strip(first, n) for all elements, mostly with n = kStrip, which the compiler then knows.
  template <class Strip>
  static void for_each_strip(int64_t count, const Strip& strip) {
    int64_t first = 0;
    for (; first + kStrip <= count; first += kStrip) strip(first, kStrip);
    if (first < count) strip(first, count - first);
  }

  /// The rule on a stretch of flat memory; called from several threads.
  virtual void apply(const Step& step, const Elements<float>& elements) const = 0;
  virtual void apply(const Step& step, const Elements<double>& elements) const = 0;
  /// The rule by tensor operations without gradients: `gradient` and `slots` have the parameter's shape and type, and
  /// the parameter's decay is done.
  virtual void apply(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const = 0;

 private:
  template <class T>
  void update_flat(const Step& step, Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots) const;
};

}  // namespace tandem

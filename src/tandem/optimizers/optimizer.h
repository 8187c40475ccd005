#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"
#include "tandem/optimizers/clipping.h"
#include "tandem/optimizers/learning_rate.h"

namespace tandem {

/// The rule by which gradients change parameters, as keras.optimizers. An optimizer holds settings only; its slots
/// (momentum and the like) belong to whoever trains, beside the parameters that they go with, so that they can be
/// replicated or sharded.
class Optimizer {
 public:
  /// Throws InvalidArgument in the name of `where` on a clipping out of range or with more than one bound.
  explicit Optimizer(LearningRate rate, const Clipping& clipping = {}, const std::string& where = "optimizer");
  virtual ~Optimizer() = default;

  /// Names of the tensors kept for each parameter, of the parameter's size, zero at first unless initial_slot says
  /// otherwise.
  virtual std::vector<std::string> slots() const = 0;
  virtual double initial_slot(std::size_t /*slot*/) const { return 0; }
  /// The shape of what a slot holds of a weight, as files have it: the weight's own unless the rule keeps less. Then it
  /// lies row by row at the beginning of the slot's memory for the weight.
  virtual Shape slot_shape(std::size_t /*slot*/, const Shape& weight) const { return weight; }
  /// What Keras keeps behind the slots in its files, though it follows from the number of iterations made.
  virtual std::vector<double> derived_values(int64_t /*iterations*/) const { return {}; }
  /// The slot that holds averages of the weights, which are to be written over the weights when fit ends.
  virtual std::optional<std::size_t> weight_average_slot() const { return {}; }

  /// One update in place. `parameter`, `gradient` and each slot have the same number of elements in the same memory
  /// order: one weight, or the flat buffer of many when elementwise() holds. `iteration` counts from 0; `rate` is this
  /// update's.
  virtual void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
                      double rate) const = 0;
  /// True when an element's update depends on that element alone, so that weights may share a flat buffer. Else
  /// `parameter` is one weight in its shape.
  virtual bool elementwise() const { return true; }
  /// True when an element whose gradient is zero keeps its value and its slots, so that it may be left out. Only where
  /// elementwise().
  virtual bool leaves_zero_gradients() const { return false; }

  /// How many batches make one update, with their mean gradient; iterations count batches.
  virtual int64_t gradient_accumulation_steps() const { return 1; }

  /// Numbers kept beside the slots for all weights together, as they are at first.
  virtual std::vector<double> initial_numbers() const { return {}; }
  /// What the loss is multiplied by while gradients are computed. They must be divided by it before all else.
  virtual double loss_scale(std::span<const double> /*numbers*/) const { return 1; }

  /// What is done to the gradients of all weights together before they are updated, one by one or in parts.
  struct Preparation {
    Tensor& gradients;                   // flat, float32, complete; changed in place
    std::span<Tensor> slots;             // of the same layout
    std::span<const FlatPlace> weights;  // those that are meant
    int64_t iteration;
    std::span<double> numbers;
    /// Who has the rest of the model's gradients; null: nobody.
    const GradientShards* shards = nullptr;
  };
  /// True when gradients must go through prepare before update.
  virtual bool prepares() const { return clips(); }
  /// False: there is no update in this iteration, which does not count.
  virtual bool prepare(const Preparation& all) const {
    if (clips()) clip_gradients(all.gradients, all.weights, clipping_, all.shards);
    return true;
  }

  /// True when gradients are clipped.
  bool clips() const { return clipping_.any(); }
  /// Clips in place the flat float32 buffer `gradients` (n,) in which weight i lies at weights[i]; padding between
  /// weights is zero. To be called on the sum over all replicas: every replica gets the same bits.
  void clip(Tensor& gradients, std::span<const FlatPlace> weights) const {
    clip_gradients(gradients, weights, clipping_);
  }
  const Clipping& clipping() const { return clipping_; }

  /// Rate of update `iteration`.
  double learning_rate(int64_t iteration) const { return rate_.at(iteration); }
  /// Replaces the rate. Throws InvalidArgument when it follows a schedule, as Keras does.
  void set_learning_rate(double rate);
  const LearningRate& rate() const { return rate_; }

  virtual std::string class_name() const = 0;
  virtual Config get_config() const { return Config::object(); }

  /// By Keras's name with Keras's default settings. Throws InvalidArgument on an unknown one.
  static std::shared_ptr<Optimizer> make(const std::string& name);
  /// By Keras's class name (or short name) and config, as keras.optimizers.deserialize: what is missing or null has
  /// Keras's default, `learning_rate` is a number or a schedule {"class_name": ..., "config": {...}}. Throws
  /// InvalidArgument naming the member on unknown ones, DataError on a value of another kind.
  static std::shared_ptr<Optimizer> make(const std::string& name, const Config& config);

 private:
  LearningRate rate_;
  Clipping clipping_;
};

}  // namespace tandem

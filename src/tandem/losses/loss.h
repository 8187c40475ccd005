#pragma once
#include <memory>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// How far a prediction is from its target, as keras.losses.Loss with reduction "sum_over_batch_size". A loss returns
/// one value a sample; weighting, reduction and the exchange over devices are made once for all losses by whoever
/// trains.
class Loss {
 public:
  virtual ~Loss() = default;
  /// One value a sample: y_pred's shape without its last axis. Differentiable in y_pred. Throws InvalidArgument naming
  /// both shapes when they do not fit.
  virtual Tensor call(const Tensor& y_true, const Tensor& y_pred) const = 0;

  /// True when the loss would rather have the logits behind a softmax or sigmoid output (a crossentropy of
  /// probabilities).
  virtual bool prefers_logits() const { return false; }
  /// As call, given the logits behind the probabilities. Only where prefers_logits.
  virtual Tensor call_with_logits(const Tensor& y_true, const Tensor& logits) const;

  /// Samples that count, bool of call's shape: the mean is taken over these alone, as Keras treats ignore_class.
  /// Undefined: all of them.
  virtual Tensor mask(const Tensor& /*y_true*/, const Tensor& /*y_pred*/) const { return {}; }
  /// True when mask gives something: replicas then add up their counts. Must be overridden together with mask.
  virtual bool has_mask() const { return false; }

  /// Keras's class name, "CategoricalCrossentropy", and settings.
  virtual std::string class_name() const = 0;
  virtual Config get_config() const { return Config::object(); }

  /// By Keras's name ("mse", "mean_squared_error", "MeanSquaredError"). Throws InvalidArgument on an unknown one.
  static std::shared_ptr<Loss> make(const std::string& name);
};

}  // namespace tandem

#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// How the values of a batch become one loss: keras.losses.Loss's `reduction`.
enum class Reduction {
  kSumOverBatchSize,  // their mean: "sum_over_batch_size", or "mean", which is the same
  kSum,               // "sum"
};

/// The sum over the replicas of tensors of one shape; its gradient is the sum of theirs.
using SumOverBatch = std::function<Tensor(const Tensor&)>;

/// How far a prediction is from its target, as keras.losses.Loss. A loss returns one value a sample; weighting,
/// reduction and the exchange over devices are made once for all losses by whoever trains. Replicas call one loss from
/// their threads at the same time, each with its rows: a value must depend on its own row alone, unless over_batch says
/// otherwise.
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

  /// True when the loss is one of the whole batch (an overlap of regions): replicas then add up what it is made of.
  virtual bool over_batch() const { return false; }
  /// As call, the same value for each of a replica's rows, from sums over all replicas' rows. Only where over_batch.
  virtual Tensor call_over_batch(const Tensor& y_true, const Tensor& y_pred, const SumOverBatch& sum) const;

  /// Samples that count, bool of call's shape: the mean is taken over these alone, as Keras treats ignore_class.
  /// Undefined: all of them.
  virtual Tensor mask(const Tensor& /*y_true*/, const Tensor& /*y_pred*/) const { return {}; }
  /// True when mask gives something: replicas then add up their counts. Must be overridden together with mask.
  virtual bool has_mask() const { return false; }

  /// How whoever trains makes one loss of the values.
  virtual Reduction reduction() const { return Reduction::kSumOverBatchSize; }

  /// Keras's class name, "CategoricalCrossentropy", and settings.
  virtual std::string class_name() const = 0;
  virtual Config get_config() const { return Config::object(); }

  /// By Keras's name ("mse", "mean_squared_error", "MeanSquaredError"). Throws InvalidArgument on an unknown one.
  static std::shared_ptr<Loss> make(const std::string& name);
  /// By Keras's class or function name, with settings as Keras serialises them; a missing one has Keras's default.
  /// Also ("function", "mean_squared_error") and LossFunctionWrapper, as Keras writes a plain function. Throws
  /// InvalidArgument on an unknown name, or naming a setting that is not known or out of range, DataError on a setting
  /// of another kind.
  static std::shared_ptr<Loss> make(const std::string& name, const Config& config);
  /// The names that make knows.
  static std::vector<std::string> names();
};

}  // namespace tandem

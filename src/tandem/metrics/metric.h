#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// A figure over many batches, as keras.metrics.Metric. It keeps states (sums, counts) that add up over devices: each
/// replica updates a metric of its own, and only states are exchanged, never results.
class Metric {
 public:
  /// Which way is better; kNone where nobody knows (a function of the user's, a mean).
  enum class Direction { kNone, kUp, kDown };

  virtual ~Metric() = default;
  /// Takes in one batch. `sample_weight`: undefined for 1 each, else shape (rows) or that of the values.
  virtual void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) = 0;
  /// True when the metric would rather have the logits behind a softmax or sigmoid output, as Loss::prefers_logits.
  virtual bool prefers_logits() const { return false; }
  /// As update, given the logits behind y_pred as well. Only where prefers_logits.
  virtual void update_with_logits(const Tensor& y_true, const Tensor& y_pred, const Tensor& logits,
                                  const Tensor& sample_weight);
  /// The figure of all that was taken in since the last reset; 0 when that is nothing, as in Keras. Of several figures
  /// (by class, by threshold) their mean, which Keras's progress bar shows.
  virtual double result() const = 0;
  /// Every figure, float64 on the CPU: shape () where there is one.
  virtual Tensor results() const;
  /// Sets all states to zero.
  virtual void reset();
  /// float64 CPU tensors that are summed over devices. One whose shape the first rows decide is empty until then.
  virtual std::vector<Tensor> states() const = 0;
  /// A metric with the same settings and zero states: one for each replica.
  virtual std::shared_ptr<Metric> replicate() const = 0;

  /// What mode "auto" of a callback goes by.
  virtual Direction direction() const { return Direction::kNone; }

  virtual std::string class_name() const = 0;
  virtual Config get_config() const { return Config::object(); }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// Adds the states of `other`, a replica of this metric, to this one's. Throws InvalidArgument where they have seen
  /// rows of different sizes.
  void merge(const Metric& other);

  /// By Keras's name. "accuracy" (and "acc") depend on the shapes of target and prediction: use make_for. Throws
  /// InvalidArgument on an unknown one.
  static std::shared_ptr<Metric> make(const std::string& name);
  /// By Keras's class or function name, with settings as Keras serialises them; a missing one has Keras's default.
  /// "Accuracy" is the class keras.metrics.Accuracy here. Also ("function", "mean_squared_error") and
  /// MeanMetricWrapper, as Keras writes a plain function. Throws InvalidArgument on an unknown name, or naming a
  /// setting that is not known or out of range, DataError on a setting of another kind.
  static std::shared_ptr<Metric> make(const std::string& name, const Config& config);
  /// As make; "accuracy" becomes the binary, categorical or sparse categorical one as Keras decides it from the shapes
  /// (batch in front), and keeps the name "accuracy".
  static std::shared_ptr<Metric> make_for(const std::string& name, const Shape& y_true, const Shape& y_pred);

 private:
  std::string name_;
};

}  // namespace tandem

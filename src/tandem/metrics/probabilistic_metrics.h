#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

struct BinaryCrossentropyOptions {
  /// Key in logs and history. Empty: "binary_crossentropy".
  std::string name = {};
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// Share of each target, in [0, 1], that is spread evenly over 0 and 1.
  double label_smoothing = 0;
};

struct CategoricalCrossentropyOptions {
  /// Key in logs and history. Empty: "categorical_crossentropy".
  std::string name = {};
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// Share of each target, in [0, 1], that is spread evenly over all classes.
  double label_smoothing = 0;
  /// The axis of the classes.
  int64_t axis = -1;
};

struct SparseCategoricalCrossentropyOptions {
  /// Key in logs and history. Empty: "sparse_categorical_crossentropy".
  std::string name = {};
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// A label whose samples have no loss. As in Keras they do not count where there are sample weights, else they count
  /// as zeros.
  std::optional<int64_t> ignore_class = {};
};

/// Means over all rows of the losses of the same names; shapes, errors and formulas are theirs (losses/). In fit and
/// evaluate the crossentropies of a softmax or sigmoid are made of the logits behind it, as the losses are. As
/// keras.metrics.
struct BinaryCrossentropy : Handle<Metric> {
  explicit BinaryCrossentropy(BinaryCrossentropyOptions options = {});
};
struct CategoricalCrossentropy : Handle<Metric> {
  explicit CategoricalCrossentropy(CategoricalCrossentropyOptions options = {});
};
struct SparseCategoricalCrossentropy : Handle<Metric> {
  explicit SparseCategoricalCrossentropy(SparseCategoricalCrossentropyOptions options = {});
};
struct KLDivergence : Handle<Metric> {
  explicit KLDivergence(MetricOptions options = {});
};
struct Poisson : Handle<Metric> {
  explicit Poisson(MetricOptions options = {});
};

}  // namespace tandem::metrics

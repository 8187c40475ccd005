#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tandem/metrics/metric.h"

namespace tandem {

/// What a mean metric averages: (y_true, y_pred) to values of shape (rows, ...) or one number for all rows.
using MetricFunction = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

/// The mean over all rows of a function of target and prediction, as keras.metrics.MeanMetricWrapper. A row's value is
/// the mean over its further axes; with sample weights the result is sum(weight * value) / sum(weight), and what
/// y_pred's mask leaves out has weight 0. Its states are
/// total and count: the numerator and the denominator, kept in float64 so that long epochs lose nothing.
class MeanMetric : public Metric {
 public:
  /// `settings` follow name and dtype in the config.
  MeanMetric(std::string class_name, std::string name, MetricFunction function, Direction direction = Direction::kNone,
             Config settings = Config::object());

  /// Throws InvalidArgument when the values are not one for each row, or the weights do not fit them.
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override;
  double result() const override;
  std::vector<Tensor> states() const override;
  std::shared_ptr<Metric> replicate() const override;

  Direction direction() const override { return direction_; }
  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 protected:
  const Config& settings() const { return settings_; }
  /// Takes in the values of `rows` rows, as function gives them.
  void add(Tensor values, int64_t rows, const Tensor& sample_weight);

 private:
  void take_over() const;

  std::string class_name_;
  MetricFunction function_;
  Direction direction_;
  Config settings_;
  Tensor total_, count_;
  // What a GPU added up since the host last asked, so that no step has to wait for it; undefined: nothing.
  mutable Tensor total_there_, count_there_;
};

}  // namespace tandem

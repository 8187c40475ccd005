#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/metrics/iou.h"
#include "tandem/metrics/metric.h"

namespace tandem {

/// All kinds of intersection over union: they differ in how ids are made and in their config.
class IoUMetric final : public Metric {
 public:
  struct Settings {
    std::string class_name;
    int64_t num_classes;
    std::vector<int64_t> target_class_ids;
    metrics::IoUOptions options;  // with the name
    /// Predictions are cut here rather than ids.
    std::optional<double> threshold = {};
  };
  explicit IoUMetric(Settings settings);

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override;
  double result() const override;
  std::vector<Tensor> states() const override { return {pairs_}; }
  std::shared_ptr<Metric> replicate() const override;
  Direction direction() const override { return Direction::kUp; }
  std::string class_name() const override { return settings_.class_name; }
  Config get_config() const override;

 private:
  bool whole_numbers() const { return settings_.options.dtype != "float32"; }
  Tensor ids(const Tensor& values, bool sparse) const;

  Settings settings_;
  Tensor pairs_;  // (classes, classes): how often each true one, by row, was predicted as each
};

}  // namespace tandem

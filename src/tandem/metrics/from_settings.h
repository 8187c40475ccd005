#pragma once
#include <memory>

#include "tandem/core/config_reader.h"
#include "tandem/metrics/metric.h"

namespace tandem {

/// Metrics with settings of their own, from those that Keras wrote: for the catalog, which reads name and dtype. Each
/// throws as the metric and ConfigReader do.
std::shared_ptr<Metric> true_positives_from(ConfigReader& settings);
std::shared_ptr<Metric> true_negatives_from(ConfigReader& settings);
std::shared_ptr<Metric> false_positives_from(ConfigReader& settings);
std::shared_ptr<Metric> false_negatives_from(ConfigReader& settings);
std::shared_ptr<Metric> precision_from(ConfigReader& settings);
std::shared_ptr<Metric> recall_from(ConfigReader& settings);
std::shared_ptr<Metric> auc_from(ConfigReader& settings);
std::shared_ptr<Metric> sensitivity_at_specificity_from(ConfigReader& settings);
std::shared_ptr<Metric> specificity_at_sensitivity_from(ConfigReader& settings);
std::shared_ptr<Metric> precision_at_recall_from(ConfigReader& settings);
std::shared_ptr<Metric> recall_at_precision_from(ConfigReader& settings);
std::shared_ptr<Metric> fbeta_score_from(ConfigReader& settings);
std::shared_ptr<Metric> f1_score_from(ConfigReader& settings);
std::shared_ptr<Metric> iou_from(ConfigReader& settings);
std::shared_ptr<Metric> mean_iou_from(ConfigReader& settings);
std::shared_ptr<Metric> one_hot_iou_from(ConfigReader& settings);
std::shared_ptr<Metric> one_hot_mean_iou_from(ConfigReader& settings);
std::shared_ptr<Metric> binary_iou_from(ConfigReader& settings);
std::shared_ptr<Metric> r2_score_from(ConfigReader& settings);
std::shared_ptr<Metric> pearson_correlation_from(ConfigReader& settings);
std::shared_ptr<Metric> concordance_correlation_from(ConfigReader& settings);

}  // namespace tandem

#include "tandem/metrics/from_settings.h"

#include <algorithm>
#include <cctype>

#include "tandem/metrics/at_bound.h"
#include "tandem/metrics/auc.h"
#include "tandem/metrics/confusion_counts.h"
#include "tandem/metrics/correlation_metrics.h"
#include "tandem/metrics/f_score.h"
#include "tandem/metrics/iou.h"
#include "tandem/metrics/precision.h"
#include "tandem/metrics/r2_score.h"
#include "tandem/metrics/threshold_setting.h"

namespace tandem {
namespace {

template <class Of>
std::shared_ptr<Metric> count_from(ConfigReader& settings) {
  ThresholdList thresholds;
  settings.read("thresholds", thresholds);
  return Of({.thresholds = thresholds.values}).object();
}

template <class Of, class Options>
std::shared_ptr<Metric> share_from(ConfigReader& settings) {
  ThresholdList thresholds;
  Options options;
  settings.read("thresholds", thresholds).read("top_k", options.top_k).read("class_id", options.class_id);
  options.thresholds = thresholds.values;
  return Of(options).object();
}

template <class Of>
std::shared_ptr<Metric> at_bound_from(ConfigReader& settings, const char* bounded) {
  double bound = 0;
  metrics::AtBoundOptions options;
  settings.require(bounded, bound).read("num_thresholds", options.num_thresholds).read("class_id", options.class_id);
  return Of(bound, options).object();
}

template <class Options>
Options iou_options_from(ConfigReader& settings) {
  Options options;
  settings.read("dtype", options.dtype)
      .read("ignore_class", options.ignore_class)
      .read("sparse_y_pred", options.sparse_y_pred)
      .read("axis", options.axis);
  return options;
}

metrics::IoUOptions sparse_iou_options_from(ConfigReader& settings) {
  auto options = iou_options_from<metrics::IoUOptions>(settings);
  settings.read("sparse_y_true", options.sparse_y_true);
  return options;
}

int64_t classes_from(ConfigReader& settings) {
  int64_t classes = 0;
  settings.require("num_classes", classes);
  return classes;
}

std::vector<int64_t> targets_from(ConfigReader& settings) {
  std::vector<int64_t> ids;
  settings.require("target_class_ids", ids);
  return ids;
}

template <class Of>
std::shared_ptr<Metric> correlation_from(ConfigReader& settings) {
  metrics::CorrelationOptions options;
  settings.read("axis", options.axis);
  return Of(options).object();
}

}  // namespace

std::shared_ptr<Metric> true_positives_from(ConfigReader& settings) {
  return count_from<metrics::TruePositives>(settings);
}
std::shared_ptr<Metric> true_negatives_from(ConfigReader& settings) {
  return count_from<metrics::TrueNegatives>(settings);
}
std::shared_ptr<Metric> false_positives_from(ConfigReader& settings) {
  return count_from<metrics::FalsePositives>(settings);
}
std::shared_ptr<Metric> false_negatives_from(ConfigReader& settings) {
  return count_from<metrics::FalseNegatives>(settings);
}
std::shared_ptr<Metric> precision_from(ConfigReader& settings) {
  return share_from<metrics::Precision, metrics::PrecisionOptions>(settings);
}
std::shared_ptr<Metric> recall_from(ConfigReader& settings) {
  return share_from<metrics::Recall, metrics::RecallOptions>(settings);
}

std::shared_ptr<Metric> auc_from(ConfigReader& settings) {
  metrics::AUCOptions options;
  settings.read("num_thresholds", options.num_thresholds)
      .read("curve", options.curve)
      .read("summation_method", options.summation_method)
      .read("thresholds", options.thresholds)
      .read("multi_label", options.multi_label)
      .read("num_labels", options.num_labels)
      .read("label_weights", options.label_weights)
      .read("from_logits", options.from_logits);
  // Keras takes both in small letters as well, the methods also as "Minoring".
  std::transform(options.curve.begin(), options.curve.end(), options.curve.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::transform(options.summation_method.begin(), options.summation_method.end(), options.summation_method.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return metrics::AUC(std::move(options)).object();
}

std::shared_ptr<Metric> sensitivity_at_specificity_from(ConfigReader& settings) {
  return at_bound_from<metrics::SensitivityAtSpecificity>(settings, "specificity");
}
std::shared_ptr<Metric> specificity_at_sensitivity_from(ConfigReader& settings) {
  return at_bound_from<metrics::SpecificityAtSensitivity>(settings, "sensitivity");
}
std::shared_ptr<Metric> precision_at_recall_from(ConfigReader& settings) {
  return at_bound_from<metrics::PrecisionAtRecall>(settings, "recall");
}
std::shared_ptr<Metric> recall_at_precision_from(ConfigReader& settings) {
  return at_bound_from<metrics::RecallAtPrecision>(settings, "precision");
}

std::shared_ptr<Metric> fbeta_score_from(ConfigReader& settings) {
  metrics::FBetaScoreOptions options;
  settings.read("average", options.average).read("beta", options.beta).read("threshold", options.threshold);
  return metrics::FBetaScore(std::move(options)).object();
}
std::shared_ptr<Metric> f1_score_from(ConfigReader& settings) {
  metrics::F1ScoreOptions options;
  settings.read("average", options.average).read("threshold", options.threshold);
  return metrics::F1Score(std::move(options)).object();
}

std::shared_ptr<Metric> iou_from(ConfigReader& settings) {
  return metrics::IoU(classes_from(settings), targets_from(settings), sparse_iou_options_from(settings)).object();
}
std::shared_ptr<Metric> mean_iou_from(ConfigReader& settings) {
  return metrics::MeanIoU(classes_from(settings), sparse_iou_options_from(settings)).object();
}
std::shared_ptr<Metric> one_hot_iou_from(ConfigReader& settings) {
  return metrics::OneHotIoU(classes_from(settings), targets_from(settings),
                            iou_options_from<metrics::OneHotIoUOptions>(settings))
      .object();
}
std::shared_ptr<Metric> one_hot_mean_iou_from(ConfigReader& settings) {
  return metrics::OneHotMeanIoU(classes_from(settings), iou_options_from<metrics::OneHotIoUOptions>(settings)).object();
}
std::shared_ptr<Metric> binary_iou_from(ConfigReader& settings) {
  metrics::BinaryIoUOptions options;
  settings.read("target_class_ids", options.target_class_ids)
      .read("threshold", options.threshold)
      .read("dtype", options.dtype);
  return metrics::BinaryIoU(std::move(options)).object();
}

std::shared_ptr<Metric> r2_score_from(ConfigReader& settings) {
  metrics::R2ScoreOptions options;
  settings.read("class_aggregation", options.class_aggregation).read("num_regressors", options.num_regressors);
  if (settings.has_null("class_aggregation")) options.class_aggregation.clear();
  return metrics::R2Score(std::move(options)).object();
}

std::shared_ptr<Metric> pearson_correlation_from(ConfigReader& settings) {
  return correlation_from<metrics::PearsonCorrelation>(settings);
}
std::shared_ptr<Metric> concordance_correlation_from(ConfigReader& settings) {
  return correlation_from<metrics::ConcordanceCorrelation>(settings);
}

}  // namespace tandem

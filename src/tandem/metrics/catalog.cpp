// The metrics by Keras's names: a new metric is a row here.
#include "tandem/core/catalog.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cctype>

#include "tandem/core/config_reader.h"
#include "tandem/losses/wrapped_function.h"
#include "tandem/metrics/accuracy.h"
#include "tandem/metrics/binary_accuracy.h"
#include "tandem/metrics/categorical_accuracy.h"
#include "tandem/metrics/from_settings.h"
#include "tandem/metrics/hinge_metrics.h"
#include "tandem/metrics/loss_metric.h"
#include "tandem/metrics/mean.h"
#include "tandem/metrics/probabilistic_metrics.h"
#include "tandem/metrics/regression_metrics.h"
#include "tandem/metrics/root_mean_squared_error.h"
#include "tandem/metrics/sparse_categorical_accuracy.h"
#include "tandem/metrics/sum.h"
#include "tandem/metrics/top_k_accuracy.h"

namespace tandem {
namespace {

using MetricMaker = std::shared_ptr<Metric> (*)(ConfigReader& settings);

/// A metric with no option but the name, which Metric::make sets.
template <class Of>
std::shared_ptr<Metric> metric_from(ConfigReader& /*settings*/) {
  return Of().object();
}

std::shared_ptr<Metric> binary_accuracy_from(ConfigReader& settings) {
  metrics::BinaryAccuracyOptions options;
  settings.read("threshold", options.threshold);
  return metrics::BinaryAccuracy(options).object();
}

std::shared_ptr<Metric> binary_crossentropy_from(ConfigReader& settings) {
  metrics::BinaryCrossentropyOptions options;
  settings.read("from_logits", options.from_logits).read("label_smoothing", options.label_smoothing);
  return metrics::BinaryCrossentropy(options).object();
}

std::shared_ptr<Metric> categorical_crossentropy_from(ConfigReader& settings) {
  metrics::CategoricalCrossentropyOptions options;
  settings.read("from_logits", options.from_logits)
      .read("label_smoothing", options.label_smoothing)
      .read("axis", options.axis);
  return metrics::CategoricalCrossentropy(options).object();
}

std::shared_ptr<Metric> sparse_categorical_crossentropy_from(ConfigReader& settings) {
  metrics::SparseCategoricalCrossentropyOptions options;
  int64_t axis = -1;
  settings.read("from_logits", options.from_logits).read("ignore_class", options.ignore_class).read("axis", axis);
  if (axis != -1) throw InvalidArgument(c10::str("metric SparseCategoricalCrossentropy: axis must be -1, got ", axis));
  return metrics::SparseCategoricalCrossentropy(options).object();
}

std::shared_ptr<Metric> cosine_similarity_from(ConfigReader& settings) {
  metrics::CosineSimilarityOptions options;
  settings.read("axis", options.axis);
  return metrics::CosineSimilarity(options).object();
}

std::shared_ptr<Metric> top_k_from(ConfigReader& settings) {
  metrics::TopKCategoricalAccuracyOptions options;
  settings.read("k", options.k);
  return metrics::TopKCategoricalAccuracy(options).object();
}

std::shared_ptr<Metric> sparse_top_k_from(ConfigReader& settings) {
  metrics::SparseTopKCategoricalAccuracyOptions options;
  settings.read("k", options.k).read("from_sorted_ids", options.from_sorted_ids);
  return metrics::SparseTopKCategoricalAccuracy(options).object();
}

const Catalog<MetricMaker>& metric_catalog() {
  static const Catalog<MetricMaker> catalog(
      "metric", {
                    {"Accuracy", metric_from<metrics::Accuracy>},
                    {"BinaryAccuracy", binary_accuracy_from},
                    {"binary_accuracy", binary_accuracy_from},
                    {"CategoricalAccuracy", metric_from<metrics::CategoricalAccuracy>},
                    {"categorical_accuracy", metric_from<metrics::CategoricalAccuracy>},
                    {"SparseCategoricalAccuracy", metric_from<metrics::SparseCategoricalAccuracy>},
                    {"sparse_categorical_accuracy", metric_from<metrics::SparseCategoricalAccuracy>},
                    {"TopKCategoricalAccuracy", top_k_from},
                    {"top_k_categorical_accuracy", top_k_from},
                    {"SparseTopKCategoricalAccuracy", sparse_top_k_from},
                    {"sparse_top_k_categorical_accuracy", sparse_top_k_from},
                    {"Mean", metric_from<metrics::Mean>},
                    {"mean", metric_from<metrics::Mean>},
                    {"Sum", metric_from<metrics::Sum>},
                    {"sum", metric_from<metrics::Sum>},
                    {"MeanSquaredError", metric_from<metrics::MeanSquaredError>},
                    {"mean_squared_error", metric_from<metrics::MeanSquaredError>},
                    {"mse", metric_from<metrics::MeanSquaredError>},
                    {"MSE", metric_from<metrics::MeanSquaredError>},
                    {"RootMeanSquaredError", metric_from<metrics::RootMeanSquaredError>},
                    {"root_mean_squared_error", metric_from<metrics::RootMeanSquaredError>},
                    {"MeanAbsoluteError", metric_from<metrics::MeanAbsoluteError>},
                    {"mean_absolute_error", metric_from<metrics::MeanAbsoluteError>},
                    {"mae", metric_from<metrics::MeanAbsoluteError>},
                    {"MAE", metric_from<metrics::MeanAbsoluteError>},
                    {"MeanAbsolutePercentageError", metric_from<metrics::MeanAbsolutePercentageError>},
                    {"mean_absolute_percentage_error", metric_from<metrics::MeanAbsolutePercentageError>},
                    {"mape", metric_from<metrics::MeanAbsolutePercentageError>},
                    {"MAPE", metric_from<metrics::MeanAbsolutePercentageError>},
                    {"MeanSquaredLogarithmicError", metric_from<metrics::MeanSquaredLogarithmicError>},
                    {"mean_squared_logarithmic_error", metric_from<metrics::MeanSquaredLogarithmicError>},
                    {"msle", metric_from<metrics::MeanSquaredLogarithmicError>},
                    {"MSLE", metric_from<metrics::MeanSquaredLogarithmicError>},
                    {"LogCoshError", metric_from<metrics::LogCoshError>},
                    {"log_cosh_error", metric_from<metrics::LogCoshError>},
                    {"CosineSimilarity", cosine_similarity_from},
                    {"cosine_similarity", cosine_similarity_from},
                    {"BinaryCrossentropy", binary_crossentropy_from},
                    {"binary_crossentropy", binary_crossentropy_from},
                    {"bce", binary_crossentropy_from},
                    {"BCE", binary_crossentropy_from},
                    {"CategoricalCrossentropy", categorical_crossentropy_from},
                    {"categorical_crossentropy", categorical_crossentropy_from},
                    {"SparseCategoricalCrossentropy", sparse_categorical_crossentropy_from},
                    {"sparse_categorical_crossentropy", sparse_categorical_crossentropy_from},
                    {"KLDivergence", metric_from<metrics::KLDivergence>},
                    {"kl_divergence", metric_from<metrics::KLDivergence>},
                    {"Poisson", metric_from<metrics::Poisson>},
                    {"poisson", metric_from<metrics::Poisson>},
                    {"Hinge", metric_from<metrics::Hinge>},
                    {"hinge", metric_from<metrics::Hinge>},
                    {"SquaredHinge", metric_from<metrics::SquaredHinge>},
                    {"squared_hinge", metric_from<metrics::SquaredHinge>},
                    {"CategoricalHinge", metric_from<metrics::CategoricalHinge>},
                    {"categorical_hinge", metric_from<metrics::CategoricalHinge>},
                    {"TruePositives", true_positives_from},
                    {"true_positives", true_positives_from},
                    {"TrueNegatives", true_negatives_from},
                    {"true_negatives", true_negatives_from},
                    {"FalsePositives", false_positives_from},
                    {"false_positives", false_positives_from},
                    {"FalseNegatives", false_negatives_from},
                    {"false_negatives", false_negatives_from},
                    {"Precision", precision_from},
                    {"precision", precision_from},
                    {"Recall", recall_from},
                    {"recall", recall_from},
                    {"AUC", auc_from},
                    {"auc", auc_from},
                    {"SensitivityAtSpecificity", sensitivity_at_specificity_from},
                    {"sensitivity_at_specificity", sensitivity_at_specificity_from},
                    {"SpecificityAtSensitivity", specificity_at_sensitivity_from},
                    {"specificity_at_sensitivity", specificity_at_sensitivity_from},
                    {"PrecisionAtRecall", precision_at_recall_from},
                    {"precision_at_recall", precision_at_recall_from},
                    {"RecallAtPrecision", recall_at_precision_from},
                    {"recall_at_precision", recall_at_precision_from},
                    {"F1Score", f1_score_from},
                    {"f1_score", f1_score_from},
                    {"FBetaScore", fbeta_score_from},
                    {"f_beta_score", fbeta_score_from},
                    {"IoU", iou_from},
                    {"io_u", iou_from},
                    {"MeanIoU", mean_iou_from},
                    {"mean_io_u", mean_iou_from},
                    {"OneHotIoU", one_hot_iou_from},
                    {"one_hot_io_u", one_hot_iou_from},
                    {"OneHotMeanIoU", one_hot_mean_iou_from},
                    {"one_hot_mean_io_u", one_hot_mean_iou_from},
                    {"BinaryIoU", binary_iou_from},
                    {"binary_io_u", binary_iou_from},
                    {"R2Score", r2_score_from},
                    {"r2_score", r2_score_from},
                    {"PearsonCorrelation", pearson_correlation_from},
                    {"pearson_correlation", pearson_correlation_from},
                    {"ConcordanceCorrelation", concordance_correlation_from},
                    {"concordance_correlation", concordance_correlation_from},
                });
  return catalog;
}

/// "accuracy" and "acc", in any case as in Keras.
bool is_accuracy(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "accuracy" || name == "acc";
}

/// Which accuracy Keras means: binary for predictions of one column, sparse for targets without classes of their own.
std::shared_ptr<Metric> accuracy_for(const Shape& y_true, const Shape& y_pred) {
  if (y_pred.back() == 1) return metrics::BinaryAccuracy().object();
  const bool sparse = y_true.rank() < y_pred.rank() || (y_true.back() == 1 && y_pred.back() > 1);
  return sparse ? metrics::SparseCategoricalAccuracy().object() : metrics::CategoricalAccuracy().object();
}

/// A name that is a loss's alone: its mean.
std::shared_ptr<Metric> mean_of_loss(const std::string& name, const Config& config) {
  const auto losses = Loss::names();
  if (std::find(losses.begin(), losses.end(), name) == losses.end()) {
    auto known = metric_catalog().names();
    known.insert(known.begin(), "accuracy");  // no row of the table: it depends on the shapes
    known.insert(known.end(), losses.begin(), losses.end());
    throw_unknown_name("metric", name, known);
  }
  return metrics::from_loss(Loss::make(name, config)).object();
}

/// The metric of a row of the table. "reduction" stands in the config of a Loss that was compiled as a metric.
std::shared_ptr<Metric> metric_of_row(const std::string& name, const Config& config) {
  const MetricMaker maker = metric_catalog().at(name);
  ConfigReader settings("metric " + name, config);
  std::string shown, dtype, reduction = "mean";
  settings.read("name", shown).read("dtype", dtype).read("reduction", reduction);
  if (reduction != "sum_over_batch_size" && reduction != "mean" && reduction != "auto")
    throw InvalidArgument(
        c10::str("metric ", name, ": a loss as a metric must have reduction sum_over_batch_size, got ", reduction));
  auto metric = maker(settings);
  settings.finish();
  const auto own = metric->get_config().get("dtype", "float32").as_string();
  if (!dtype.empty() && dtype != own)
    throw InvalidArgument(c10::str("metric ", name, ": dtype must be ", own, ", got ", dtype));
  if (!shown.empty()) metric->set_name(shown);
  return metric;
}

}  // namespace

std::shared_ptr<Metric> Metric::make(const std::string& name) {
  if (is_accuracy(name)) {
    throw InvalidArgument(c10::str("metric '", name,
                                   "' depends on the shapes of target and prediction; where these are not known, name "
                                   "binary_accuracy, categorical_accuracy or sparse_categorical_accuracy"));
  }
  auto metric = make(name, Config::object());
  metric->set_name(name);  // Keras too shows a metric under the name that it was asked for by
  return metric;
}

std::shared_ptr<Metric> Metric::make(const std::string& name, const Config& config) {
  if (name == "function") return make(config.as_string());
  if (name == "MeanMetricWrapper") {
    const auto [function, settings] = wrapped_function(config);
    return make(function, settings);
  }
  return metric_catalog().contains(name) ? metric_of_row(name, config) : mean_of_loss(name, config);
}

std::shared_ptr<Metric> Metric::make_for(const std::string& name, const Shape& y_true, const Shape& y_pred) {
  if (!is_accuracy(name)) return make(name);
  auto metric = accuracy_for(y_true, y_pred);
  metric->set_name(name);
  return metric;
}

}  // namespace tandem

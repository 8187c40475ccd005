// The metrics by Keras's names: a new metric is a row here.
#include "tandem/core/catalog.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cctype>

#include "tandem/metrics/binary_accuracy.h"
#include "tandem/metrics/categorical_accuracy.h"
#include "tandem/metrics/mean_squared_error.h"
#include "tandem/metrics/sparse_categorical_accuracy.h"

namespace tandem {
namespace {

using MetricMaker = std::shared_ptr<Metric> (*)();

template <class Of>
std::shared_ptr<Metric> make_metric() {
  return Of().object();
}

const Catalog<MetricMaker>& metric_catalog() {
  static const Catalog<MetricMaker> catalog(
      "metric", {
                    {"binary_accuracy", make_metric<metrics::BinaryAccuracy>},
                    {"BinaryAccuracy", make_metric<metrics::BinaryAccuracy>},
                    {"categorical_accuracy", make_metric<metrics::CategoricalAccuracy>},
                    {"CategoricalAccuracy", make_metric<metrics::CategoricalAccuracy>},
                    {"sparse_categorical_accuracy", make_metric<metrics::SparseCategoricalAccuracy>},
                    {"SparseCategoricalAccuracy", make_metric<metrics::SparseCategoricalAccuracy>},
                    {"mean_squared_error", make_metric<metrics::MeanSquaredError>},
                    {"MeanSquaredError", make_metric<metrics::MeanSquaredError>},
                    {"mse", make_metric<metrics::MeanSquaredError>},
                    {"MSE", make_metric<metrics::MeanSquaredError>},
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

}  // namespace

std::shared_ptr<Metric> Metric::make(const std::string& name) {
  if (is_accuracy(name)) {
    throw InvalidArgument(c10::str("metric '", name,
                                   "' depends on the shapes of target and prediction; where these are not known, name "
                                   "binary_accuracy, categorical_accuracy or sparse_categorical_accuracy"));
  }
  auto metric = metric_catalog().at(name)();
  metric->set_name(name);  // Keras too shows a metric under the name that it was asked for by
  return metric;
}

std::shared_ptr<Metric> Metric::make_for(const std::string& name, const Shape& y_true, const Shape& y_pred) {
  if (!is_accuracy(name)) {
    if (metric_catalog().contains(name)) return make(name);
    auto known = metric_catalog().names();
    known.insert(known.begin(), "accuracy");  // no row of the table: it depends on the shapes
    throw_unknown_name("metric", name, known);
  }
  auto metric = accuracy_for(y_true, y_pred);
  metric->set_name(name);
  return metric;
}

}  // namespace tandem

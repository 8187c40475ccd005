#include "tandem/metrics/sparse_categorical_accuracy.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/metrics/fit_shapes.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

Tensor sparse_categorical_matches(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor ids = y_true.dim() == y_pred.dim() && y_true.size(-1) == 1 ? y_true.squeeze(-1) : y_true;
  if (y_pred.dim() < 2 || ids.sizes() != y_pred.sizes().slice(0, y_pred.dim() - 1)) {
    throw InvalidArgument(
        c10::str("metric SparseCategoricalAccuracy: targets must be class ids of the shape of the predictions ",
                 shape_of(y_pred).to_string(), " without the last axis, got ", shape_of(y_true).to_string()));
  }
  return y_pred.argmax(-1).eq(ids);
}

}  // namespace

SparseCategoricalAccuracy::SparseCategoricalAccuracy(MetricOptions options)
    : Handle(std::make_shared<MeanMetric>("SparseCategoricalAccuracy",
                                          options.name.empty() ? "sparse_categorical_accuracy" : options.name,
                                          sparse_categorical_matches)) {}

}  // namespace tandem::metrics

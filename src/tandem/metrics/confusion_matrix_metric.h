#pragma once
#include <cstdint>

#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// How often each class was predicted as each, over batches and devices; Keras has no such metric. results() is the
/// matrix (classes, classes), true ones by row, weighted by sample weights; result(), which logs show, the share on its
/// diagonal, the accuracy. Targets are ids (rows, ...) or one value a class; predictions scores (rows, ..., classes),
/// or probabilities (rows, ..., 1) of class 1. Throws InvalidArgument on fewer than 2 classes.
struct ConfusionMatrix : Handle<Metric> {
  explicit ConfusionMatrix(int64_t num_classes, MetricOptions options = {});
};

}  // namespace tandem::metrics

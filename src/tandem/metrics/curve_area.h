#pragma once
#include <string>

#include "tandem/metrics/threshold_counts.h"

namespace tandem::metrics {

/// The area under a curve through the points that ascending thresholds give, as Keras sums it: `curve` is "ROC", "PR"
/// or "PRGAIN", `method` "interpolation", "minoring" or "majoring". Counts are (thresholds) or (thresholds, labels),
/// the areas () or (labels). Under "PR" interpolation draws true positives, not precision, as straight lines (Davis and
/// Goadrich 2006).
Tensor curve_area(const ThresholdCounts& counts, const std::string& curve, const std::string& method);

}  // namespace tandem::metrics

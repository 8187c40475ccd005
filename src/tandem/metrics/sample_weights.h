#pragma once
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

/// Sample weights brought to the values' shape (rows, ...): a weight a row counts for all of the row's values, and a
/// last axis of 1 that the values lack is dropped. Throws InvalidArgument in the name of `metric`, with both shapes,
/// when they do not fit.
Tensor fit_weights(const Tensor& values, const Tensor& sample_weight, const std::string& metric);

/// Sample weights that are 0 where the mask that travels with `y_pred` (core/mask.h) is false; `sample_weight` itself,
/// which may be undefined, where there is none.
Tensor weights_under_mask(const Tensor& sample_weight, const Tensor& y_pred, const std::string& metric);

}  // namespace tandem

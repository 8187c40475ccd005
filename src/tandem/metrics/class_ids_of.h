#pragma once
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

/// The classes that predictions mean, int64: scores (rows, ..., classes) by the largest, of equal ones the first;
/// probabilities (rows, ..., 1) and (rows) by whether they are above 0.5.
Tensor predicted_classes(const Tensor& y_pred);
/// The classes that targets mean, int64 of predicted_classes' shape: ids (rows, ...) or (rows, ..., 1), or one value a
/// class, as y_pred's shape, by the largest. Throws InvalidArgument in the name of `where`, with both shapes, when they
/// do not fit.
Tensor true_classes(const Tensor& y_true, const Tensor& y_pred, const std::string& where);

/// How often each class was predicted as each: float64 on the CPU, (classes, classes), true ones by row. `weights`, of
/// the ids' shape, may be undefined. Pairs with an id outside of [0, classes) are left out.
Tensor count_pairs(const Tensor& truth, const Tensor& predicted, const Tensor& weights, int64_t classes);

}  // namespace tandem

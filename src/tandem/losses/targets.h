#pragma once
#include <string>
#include <utility>

#include "tandem/core/tensor.h"

namespace tandem {

/// A target and a prediction of one shape: the target in the prediction's type; where one of them has a last axis of 1
/// that the other lacks, it is added or dropped as Keras does ("(rows)" meets "(rows, 1)"), and (rows) alone counts as
/// (rows, 1). Throws InvalidArgument in the name of `loss`, with both shapes, when they still differ.
std::pair<Tensor, Tensor> matching_targets(const Tensor& y_true, const Tensor& y_pred, const std::string& loss);

/// Class ids of shape y_pred's without its last axis, int64, from targets of any type with or without a last axis of 1.
/// Throws InvalidArgument in the name of `loss`, with both shapes, when they do not fit.
Tensor class_ids(const Tensor& y_true, const Tensor& y_pred, const std::string& loss);

/// Throws InvalidArgument that names the first label outside [0, classes), its row and the number of classes.
void check_class_ids(const Tensor& ids, int64_t classes, const std::string& loss);

/// A tensor's sizes as Keras prints a shape: "(6, 4)".
std::string shape_text(const Tensor& tensor);

}  // namespace tandem

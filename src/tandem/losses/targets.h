#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "tandem/core/tensor.h"

namespace tandem {

/// A target and a prediction of one shape: the target in the prediction's type; where one of them has a last axis of 1
/// that the other lacks, it is dropped as Keras does, or added where that leaves (rows) alone; both (rows) count as
/// (rows, 1). Throws InvalidArgument in the name of `loss`, with both shapes, when they still differ.
std::pair<Tensor, Tensor> matching_targets(const Tensor& y_true, const Tensor& y_pred, const std::string& loss);

/// Class ids of shape y_pred's without its last axis, int64, from targets of any type with or without a last axis of 1.
/// Throws InvalidArgument in the name of `loss`, with both shapes, when they do not fit.
Tensor class_ids(const Tensor& y_true, const Tensor& y_pred, const std::string& loss);

/// Throws InvalidArgument that names the first label outside [0, classes), its row and the number of classes.
void check_class_ids(const Tensor& ids, int64_t classes, const std::string& loss);

/// Throws InvalidArgument in the name of `loss` when the predictions have no such axis, or it is that of the rows.
void check_axis(int64_t axis, const Tensor& y_pred, const std::string& loss);

/// Throws InvalidArgument "<loss>: <setting> must lie in [0, 1], got <value>"; NaN fails too.
void check_share(double value, const std::string& setting, const std::string& loss);

/// Throws InvalidArgument "<loss>: gamma must be a finite number of at least 0, got <gamma>".
void check_focus(double gamma, const std::string& loss);

/// Targets of which the share `smoothing` is spread evenly over all classes. Keras counts these along the last axis,
/// whatever the axis of the loss is.
Tensor smooth_classes(const Tensor& truth, double smoothing);
/// The same for targets of 0 and 1, which are two classes each.
Tensor smooth_bits(const Tensor& truth, double smoothing);

/// A tensor's sizes as Keras prints a shape: "(6, 4)".
std::string shape_text(const Tensor& tensor);

}  // namespace tandem

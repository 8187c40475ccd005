#pragma once
#include <string>
#include <utility>

#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"

namespace tandem {

Shape shape_of(const Tensor& tensor);

/// Target and prediction of one shape; a last axis of 1 that only one of them has is added or dropped as Keras does.
/// Throws InvalidArgument in the name of `metric`, with both shapes, when they still differ.
std::pair<Tensor, Tensor> fit_shapes(const Tensor& y_true, const Tensor& y_pred, const std::string& metric);

}  // namespace tandem

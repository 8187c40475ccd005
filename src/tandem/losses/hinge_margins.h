#pragma once
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

/// max(1 - y_true * y_pred, 0), with a target of 0 as -1. Throws InvalidArgument in the name of `loss` where targets
/// mix 0 with others than 1.
Tensor hinge_margins(const Tensor& truth, const Tensor& prediction, const std::string& loss);

}  // namespace tandem

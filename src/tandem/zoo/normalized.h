#pragma once
#include <string>

#include "tandem/layers/keras_tensor.h"

namespace tandem::zoo {

/// BatchNormalization as the residual and dense networks of keras.applications have it, called `name`.
KerasTensor normalized(const KerasTensor& x, const std::string& name);
/// normalized, called `name` + "_bn", and ReLU, called `name` + "_relu".
KerasTensor normalized_relu(const KerasTensor& x, const std::string& name);

}  // namespace tandem::zoo

#pragma once
#include <cstdint>

#include "tandem/core/shape.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

struct MlpOptions {
  Shape input_shape = {32, 32, 3};
  int64_t classes = 10;
};

/// A multilayer perceptron for small images, a Sequential: the pixels flattened, 256 and 128 units with relu, and a
/// softmax. 820,874 weights for 32x32x3 and ten classes: few operations for each weight, so that exchanging gradients
/// is a large part of a step on several devices. Throws InvalidArgument on fewer than two classes.
Model mlp(const MlpOptions& options = {});

/// SGD 0.01 with momentum 0.9, values of bytes divided by 255, 64 rows a step, 20 epochs.
Recipe mlp_recipe();

}  // namespace tandem::zoo

#pragma once
#include <cstdint>

#include "tandem/core/shape.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

struct CnnOptions {
  Shape input_shape = {32, 32, 3};
  int64_t classes = 10;
};

/// A plain convolutional network for small images, a Sequential: three 3x3 convolutions with 32, 64 and 128 filters,
/// each followed by a 2x2 max pooling, then 128 units, dropout of a half and a softmax. 356,810 weights for 32x32x3 and
/// ten classes. Throws InvalidArgument on images smaller than 8x8.
Model cnn(const CnnOptions& options = {});

/// RMSprop 1e-4 with momentum 0.9, values of bytes divided by 255, 32 rows a step, 50 epochs.
Recipe cnn_recipe();

}  // namespace tandem::zoo

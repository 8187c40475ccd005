#pragma once
#include <cstdint>

#include "tandem/core/shape.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

struct MiniGoogLeNetOptions {
  Shape input_shape = {32, 32, 3};
  int64_t classes = 10;
};

/// GoogLeNet's idea for small images (Zhang et al. 2017, "Understanding deep learning requires rethinking
/// generalization", fig. 3): convolution - batch normalisation - ReLU modules, inception modules of a 1x1 and a 3x3
/// path, and downsampling by a strided convolution beside a max pooling. 1,656,250 weights for 32x32x3 and ten classes.
/// Throws InvalidArgument when the input is too small for its last 7x7 average pooling.
Model minigooglenet(const MiniGoogLeNetOptions& options = {});

/// SGD 5e-3 with momentum 0.9, the rate falling to 0 along a straight line, mean image, shifts and flips, 70 epochs.
Recipe minigooglenet_recipe();

}  // namespace tandem::zoo

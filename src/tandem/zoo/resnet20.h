#pragma once
#include <cstdint>

#include "tandem/core/shape.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

struct ResNet20Options {
  Shape input_shape = {32, 32, 3};
  int64_t classes = 10;
};

/// The residual network of 20 layers for small images (He et al. 2015, "Deep residual learning for image recognition",
/// section 4.2), as Keras's CIFAR-10 example builds it: three stages of three blocks with 16, 32 and 64 filters,
/// strides and a projection by a 1x1 convolution at the beginning of the second and third stage, L2 of 1e-4 on all
/// kernels but the last. 274,442 weights for 32x32x3 and ten classes. Throws InvalidArgument when the input is too
/// small for its last 8x8 average pooling.
Model resnet20(const ResNet20Options& options = {});

/// As in the paper: SGD 0.1 with momentum 0.9, a tenth of the rate after half of the training and a hundredth after
/// three quarters, 128 rows a step, mean image, shifts by up to 4 of 32 pixels and flips. 164 epochs of CIFAR-10's
/// 50,000 rows are its 64,000 updates.
Recipe resnet20_recipe();

}  // namespace tandem::zoo

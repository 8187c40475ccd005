#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/shape.h"
#include "tandem/layers/activation_function.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

/// What the networks for ImageNet take, as keras.applications.
struct ImageNetOptions {
  Shape input_shape = {224, 224, 3};  // height and width may be -1, unknown, where none is flattened
  int64_t classes = 1000;
  bool include_top = true;  // false: the feature maps of the last convolution, (batch, height, width, channels)
  ActivationFunction classifier_activation = "softmax";  // "linear": logits
};

/// How these networks are usually trained from the beginning: SGD with momentum 0.9, rate 0.1 for 256 rows, falling by
/// a half cosine over 90 epochs; values of bytes divided by 255, flips, and shifts by up to an eighth.
Recipe image_net_recipe();

/// The head of most of them: the mean over each feature map, and a Dense layer called "predictions".
KerasTensor classified(const KerasTensor& features, const ImageNetOptions& options, const std::string& pool_name);

}  // namespace tandem::zoo

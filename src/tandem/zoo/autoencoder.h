#pragma once
#include "tandem/core/shape.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

struct AutoencoderOptions {
  Shape input_shape = {32, 32, 3};  // sizes that are known
  int64_t code = 64;                // numbers that an image is described by
};

/// An autoencoder of Dense layers for small images with values from 0 to 1 (Hinton and Salakhutdinov 2006): the pixels
/// flattened, 256 units, `code` of them, 256 again, and a sigmoid for each value. 1,609,280 weights for 32x32x3. Throws
/// InvalidArgument on sizes that are not known.
Model autoencoder(const AutoencoderOptions& options = {});

struct ConvAutoencoderOptions {
  Shape input_shape = {32, 32, 3};  // sizes divisible by 4, or unknown
};

/// One of convolutions: two of 3x3 with 32 and 16 filters, each followed by a 2x2 max pooling, and back by two
/// transposed ones with strides of 2 and one with a sigmoid. 13,347 weights for 32x32x3. Throws InvalidArgument on
/// sizes that do not divide.
Model conv_autoencoder(const ConvAutoencoderOptions& options = {});

/// Adam 1e-3 on the mean squared error between images and what is made of them, values of bytes divided by 255, 64 rows
/// a step, 20 epochs.
Recipe autoencoder_recipe();

}  // namespace tandem::zoo

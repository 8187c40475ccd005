#pragma once
#include <cstdint>

#include "tandem/core/shape.h"
#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

struct TransformerOptions {
  Shape input_shape = {32, 32, 3};  // sizes that are known and divisible by patch
  int64_t classes = 10;
  int64_t patch = 4;   // pixels of a token's side
  int64_t width = 64;  // features of a token
  int64_t heads = 4;
  int64_t blocks = 2;
  int64_t hidden = 128;  // units of a block's Dense
  double dropout = 0.1;
};

/// A small Transformer encoder that classifies images, after Dosovitskiy et al. (2021): patches as tokens with learned
/// positions, blocks of attention and two Dense layers with the normalisation in front (Xiong et al. 2020), the mean of
/// the tokens, and a softmax. 79,050 weights for 32x32x3 and ten classes. Throws InvalidArgument on sizes that do not
/// divide.
Model transformer(const TransformerOptions& options = {});

/// Adam 1e-3, values of bytes divided by 255, 64 rows a step, 20 epochs.
Recipe transformer_recipe();

}  // namespace tandem::zoo

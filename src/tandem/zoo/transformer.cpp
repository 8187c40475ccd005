#include "tandem/zoo/transformer.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/add.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/einsum_dense.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/multi_head_attention.h"
#include "tandem/layers/reshape.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {
namespace {

void check_transformer(const TransformerOptions& o) {
  check_images("transformer", o.input_shape, 1, o.classes);
  for (const int64_t axis : {0, 1}) {
    if (o.patch < 1 || o.input_shape[axis] < 1 || o.input_shape[axis] % o.patch != 0) {
      throw InvalidArgument(c10::str("transformer: height and width must be known and divisible by patch, got ",
                                     o.input_shape, " and ", o.patch));
    }
  }
  if (o.heads < 1 || o.width < 1 || o.width % o.heads != 0)
    throw InvalidArgument(c10::str("transformer: heads must divide width, got ", o.heads, " and ", o.width));
}

}  // namespace

Model transformer(const TransformerOptions& o) {
  check_transformer(o);
  const KerasTensor image = layers::Input(o.input_shape);
  const int64_t tokens = o.input_shape[0] / o.patch * (o.input_shape[1] / o.patch);
  KerasTensor x = layers::Conv2D(o.width, {o.patch, o.patch}, {.strides = {o.patch, o.patch}})(image);
  x = layers::Reshape({tokens, o.width})(x);
  // A bias of its own for each token is what it learns of its position.
  x = layers::EinsumDense("abc,cd->abd", {tokens, o.width}, {.bias_axes = "bd"})(x);
  for (int64_t block = 0; block < o.blocks; ++block) {
    KerasTensor y = layers::LayerNormalization({.epsilon = 1e-6})(x);
    y = layers::MultiHeadAttention(o.heads, o.width / o.heads, {.dropout = o.dropout})(y, y);
    x = layers::Add()({x, layers::Dropout(o.dropout)(y)});
    y = layers::LayerNormalization({.epsilon = 1e-6})(x);
    y = layers::Dense(o.hidden, {.activation = "gelu"})(y);
    y = layers::Dense(o.width)(layers::Dropout(o.dropout)(y));
    x = layers::Add()({x, layers::Dropout(o.dropout)(y)});
  }
  x = layers::LayerNormalization({.epsilon = 1e-6})(x);
  x = layers::GlobalAveragePooling1D()(x);
  return Model(image, layers::Dense(o.classes, {.activation = "softmax"})(x), "transformer");
}

Recipe transformer_recipe() { return {.optimizer = "adam", .learning_rate = 1e-3, .rescale = 1.0 / 255, .epochs = 20}; }

}  // namespace tandem::zoo

#include "tandem/zoo/vgg16.h"

#include <c10/util/StringUtil.h>

#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {

using namespace tandem::layers;

Model vgg16(const ImageNetOptions& options) {
  check_images("vgg16", options.input_shape, 32, options.classes);
  struct Block {
    int64_t filters, convolutions;
  };
  constexpr Block kBlocks[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  const auto inputs = Input(options.input_shape);
  auto x = inputs;
  for (int64_t b = 0; b < 5; ++b) {
    const auto name = c10::str("block", b + 1, "_");
    for (int64_t i = 1; i <= kBlocks[b].convolutions; ++i) {
      x = Conv2D(kBlocks[b].filters, 3,
                 {.padding = "same", .activation = "relu", .name = c10::str(name, "conv", i)})(x);
    }
    x = MaxPooling2D(2, {.strides = 2, .name = name + "pool"})(x);
  }
  if (options.include_top) {
    x = Flatten({.name = "flatten"})(x);
    x = Dense(4096, {.activation = "relu", .name = "fc1"})(x);
    x = Dense(4096, {.activation = "relu", .name = "fc2"})(x);
    x = Dense(options.classes, {.activation = options.classifier_activation, .name = "predictions"})(x);
  }
  return Model(inputs, x, "vgg16");
}

Recipe vgg16_recipe() {
  auto recipe = image_net_recipe();
  recipe.learning_rate = 0.01;
  return recipe;
}

}  // namespace tandem::zoo

#include "tandem/zoo/cnn.h"

#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {

Model cnn(const CnnOptions& options) {
  check_images("cnn", options.input_shape, 8, options.classes);
  Sequential model({layers::Input(options.input_shape)}, "cnn");
  for (const int64_t filters : {32, 64, 128}) {
    model.add(layers::Conv2D(filters, {3, 3}, {.padding = "same", .activation = "relu"}));
    model.add(layers::MaxPooling2D({2, 2}));
  }
  model.add(layers::Flatten());
  model.add(layers::Dense(128, {.activation = "relu"}));
  model.add(layers::Dropout(0.5));
  model.add(layers::Dense(options.classes, {.activation = "softmax"}));
  return model;
}

Recipe cnn_recipe() {
  return {.optimizer = "rmsprop",
          .settings = Config::object({{"momentum", 0.9}}),
          .learning_rate = 1e-4,
          .rescale = 1.0 / 255,
          .batch_size = 32,
          .epochs = 50};
}

}  // namespace tandem::zoo

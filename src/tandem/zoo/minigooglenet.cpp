#include "tandem/zoo/minigooglenet.h"

#include "tandem/layers/activation.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {
namespace {

using namespace tandem::layers;

KerasTensor convolution(KerasTensor x, int64_t filters, int64_t size, int64_t stride = 1,
                        const char* padding = "same") {
  x = Conv2D(filters, {size, size}, {.strides = stride, .padding = padding})(x);
  return Activation("relu")(BatchNormalization()(x));
}

KerasTensor inception(KerasTensor x, int64_t narrow, int64_t wide) {
  return Concatenate()({convolution(x, narrow, 1), convolution(x, wide, 3)});
}

KerasTensor downsample(KerasTensor x, int64_t filters) {
  return Concatenate()({convolution(x, filters, 3, 2, "valid"), MaxPooling2D({3, 3}, {.strides = 2})(x)});
}

}  // namespace

Model minigooglenet(const MiniGoogLeNetOptions& options) {
  // Two strided 3x3 windows leave ((n - 1) / 2 - 1) / 2, of which the pooling wants 7.
  check_images("minigooglenet", options.input_shape, 31, options.classes);
  const auto inputs = Input(options.input_shape);
  auto x = convolution(inputs, 96, 3);
  x = inception(x, 32, 32);
  x = inception(x, 32, 48);
  x = downsample(x, 80);
  x = inception(x, 112, 48);
  x = inception(x, 96, 64);
  x = inception(x, 80, 80);
  x = inception(x, 48, 96);
  x = downsample(x, 96);
  x = inception(x, 176, 160);
  x = inception(x, 176, 160);
  x = AveragePooling2D({7, 7})(x);
  x = Dropout(0.5)(x);
  x = Flatten()(x);
  x = Dense(options.classes, {.activation = "softmax"})(x);
  return Model(inputs, x, "minigooglenet");
}

Recipe minigooglenet_recipe() {
  return {.settings = Config::object({{"momentum", 0.9}}),
          .learning_rate = 5e-3,
          .schedule = "polynomial",
          .mean_image = true,
          .shift = 0.1,
          .flip = true,
          .epochs = 70};
}

}  // namespace tandem::zoo

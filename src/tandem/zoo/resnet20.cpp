#include "tandem/zoo/resnet20.h"

#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {
namespace {

using namespace tandem::layers;

KerasTensor regularized_convolution(const KerasTensor& x, int64_t filters, int64_t size, int64_t stride = 1) {
  return Conv2D(filters, {size, size},
                {.strides = stride,
                 .padding = "same",
                 .kernel_initializer = "he_normal",
                 .kernel_regularizer = regularizers::L2(1e-4)})(x);
}

KerasTensor residual_block(KerasTensor x, int64_t filters, bool halves_size) {
  const int64_t stride = halves_size ? 2 : 1;
  auto y = Activation("relu")(BatchNormalization()(regularized_convolution(x, filters, 3, stride)));
  y = BatchNormalization()(regularized_convolution(y, filters, 3));
  if (halves_size) x = regularized_convolution(x, filters, 1, stride);
  return Activation("relu")(Add()({x, y}));
}

}  // namespace

Model resnet20(const ResNet20Options& options) {
  check_images("resnet20", options.input_shape, 29, options.classes);  // halved twice, rounding up, it leaves 8
  const auto inputs = Input(options.input_shape);
  auto x = Activation("relu")(BatchNormalization()(regularized_convolution(inputs, 16, 3)));
  for (const int64_t filters : {16, 32, 64}) {
    for (int64_t block = 0; block < 3; ++block) x = residual_block(x, filters, filters > 16 && block == 0);
  }
  x = Flatten()(AveragePooling2D({8, 8})(x));
  x = Dense(options.classes, {.activation = "softmax", .kernel_initializer = "he_normal"})(x);
  return Model(inputs, x, "resnet20");
}

Recipe resnet20_recipe() {
  return {.settings = Config::object({{"momentum", 0.9}}),
          .learning_rate = 0.1,
          .schedule = "piecewise",
          .mean_image = true,
          .rescale = 1.0 / 255,
          .shift = 0.125,
          .flip = true,
          .batch_size = 128,
          .epochs = 164};
}

}  // namespace tandem::zoo

#include "tandem/zoo/autoencoder.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/conv2d_transpose.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/reshape.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {

Model autoencoder(const AutoencoderOptions& options) {
  constexpr int64_t kAnyClasses = 2;  // it has none
  check_images("autoencoder", options.input_shape, 1, kAnyClasses);
  const Shape& image = options.input_shape;
  if (!image.is_known()) throw InvalidArgument(c10::str("autoencoder: input_shape must be known, got ", image));
  return Sequential({layers::Input(image), layers::Flatten(), layers::Dense(256, {.activation = "relu"}),
                     layers::Dense(options.code, {.activation = "relu"}), layers::Dense(256, {.activation = "relu"}),
                     layers::Dense(image.count(), {.activation = "sigmoid"}), layers::Reshape(image)},
                    "autoencoder");
}

Model conv_autoencoder(const ConvAutoencoderOptions& options) {
  constexpr int64_t kAnyClasses = 2;
  const Shape& image = options.input_shape;
  check_images("conv_autoencoder", image, 4, kAnyClasses);
  for (const int64_t axis : {0, 1}) {
    if (image[axis] != Shape::kUnknown && image[axis] % 4 != 0) {
      throw InvalidArgument(
          c10::str("conv_autoencoder: height and width must be divisible by 4, got input_shape ", image));
    }
  }
  Sequential model({layers::Input(image)}, "conv_autoencoder");
  for (const int64_t filters : {32, 16}) {
    model.add(layers::Conv2D(filters, {3, 3}, {.padding = "same", .activation = "relu"}));
    model.add(layers::MaxPooling2D({2, 2}));
  }
  for (const int64_t filters : {16, 32}) {
    model.add(layers::Conv2DTranspose(filters, {3, 3}, {.strides = {2, 2}, .padding = "same", .activation = "relu"}));
  }
  model.add(layers::Conv2D(image.back(), {3, 3}, {.padding = "same", .activation = "sigmoid"}));
  return model;
}

Recipe autoencoder_recipe() {
  return {.optimizer = "adam",
          .learning_rate = 1e-3,
          .loss = "mean_squared_error",
          .reconstructs = true,
          .rescale = 1.0 / 255,
          .epochs = 20};
}

}  // namespace tandem::zoo

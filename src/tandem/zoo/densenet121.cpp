#include "tandem/zoo/densenet121.h"

#include <c10/util/StringUtil.h>

#include "tandem/layers/activation.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/zero_padding2d.h"
#include "tandem/zoo/check_images.h"
#include "tandem/zoo/normalized.h"

namespace tandem::zoo {
namespace {

using namespace tandem::layers;

constexpr int64_t kGrowth = 32;

KerasTensor without_bias(const KerasTensor& x, int64_t filters, int64_t size, const std::string& name) {
  return Conv2D(filters, size, {.padding = size > 1 ? "same" : "valid", .use_bias = false, .name = name})(x);
}

KerasTensor dense_layer(const KerasTensor& x, const std::string& name) {
  auto y = without_bias(normalized_relu(x, name + "_0"), 4 * kGrowth, 1, name + "_1_conv");
  y = without_bias(normalized_relu(y, name + "_1"), kGrowth, 3, name + "_2_conv");
  return Concatenate({.name = name + "_concat"})({x, y});
}

// Half of the channels, and half of the size.
KerasTensor transition(const KerasTensor& x, const std::string& name) {
  const auto y = without_bias(normalized_relu(x, name), x.shape().back() / 2, 1, name + "_conv");
  return AveragePooling2D(2, {.strides = 2, .name = name + "_pool"})(y);
}

}  // namespace

Model densenet121(const ImageNetOptions& options) {
  check_images("densenet121", options.input_shape, 32, options.classes);
  constexpr int64_t kLayers[] = {6, 12, 24, 16};
  const auto inputs = Input(options.input_shape);
  auto x = ZeroPadding2D(3)(inputs);
  x = Conv2D(64, 7, {.strides = 2, .use_bias = false, .name = "conv1_conv"})(x);
  x = ZeroPadding2D(1)(normalized_relu(x, "conv1"));
  x = MaxPooling2D(3, {.strides = 2, .name = "pool1"})(x);
  for (int64_t block = 0; block < 4; ++block) {
    for (int64_t i = 1; i <= kLayers[block]; ++i) x = dense_layer(x, c10::str("conv", block + 2, "_block", i));
    if (block < 3) x = transition(x, c10::str("pool", block + 2));
  }
  x = Activation("relu", {.name = "relu"})(normalized(x, "bn"));
  return Model(inputs, options.include_top ? classified(x, options, "avg_pool") : x, "densenet121");
}

}  // namespace tandem::zoo

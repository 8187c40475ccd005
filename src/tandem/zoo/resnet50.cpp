#include "tandem/zoo/resnet50.h"

#include <c10/util/StringUtil.h>

#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/zero_padding2d.h"
#include "tandem/zoo/check_images.h"
#include "tandem/zoo/normalized.h"

namespace tandem::zoo {
namespace {

using namespace tandem::layers;

KerasTensor block_v1(const KerasTensor& x, int64_t filters, int64_t stride, bool first, const std::string& name) {
  auto beside = x;
  if (first) {
    beside = Conv2D(4 * filters, 1, {.strides = stride, .name = name + "_0_conv"})(x);
    beside = normalized(beside, name + "_0_bn");
  }
  auto y = Conv2D(filters, 1, {.strides = stride, .name = name + "_1_conv"})(x);
  y = normalized_relu(y, name + "_1");
  y = normalized_relu(Conv2D(filters, 3, {.padding = "same", .name = name + "_2_conv"})(y), name + "_2");
  y = normalized(Conv2D(4 * filters, 1, {.name = name + "_3_conv"})(y), name + "_3_bn");
  return Activation("relu", {.name = name + "_out"})(Add({.name = name + "_add"})({beside, y}));
}

KerasTensor block_v2(const KerasTensor& x, int64_t filters, int64_t stride, bool first, const std::string& name) {
  const auto ahead = normalized_relu(x, name + "_preact");
  auto beside = x;
  if (first) {
    beside = Conv2D(4 * filters, 1, {.strides = stride, .name = name + "_0_conv"})(ahead);
  } else if (stride > 1) {
    beside = MaxPooling2D(1, {.strides = stride})(x);
  }
  auto y = Conv2D(filters, 1, {.use_bias = false, .name = name + "_1_conv"})(ahead);
  y = ZeroPadding2D(1, {.name = name + "_2_pad"})(normalized_relu(y, name + "_1"));
  y = Conv2D(filters, 3, {.strides = stride, .use_bias = false, .name = name + "_2_conv"})(y);
  y = normalized_relu(y, name + "_2");
  y = Conv2D(4 * filters, 1, {.name = name + "_3_conv"})(y);
  return Add({.name = name + "_out"})({beside, y});
}

// Both begin with a 7x7 convolution and max pooling.
KerasTensor stem(const KerasTensor& images, bool normalize) {
  auto x = ZeroPadding2D(3, {.name = "conv1_pad"})(images);
  x = Conv2D(64, 7, {.strides = 2, .name = "conv1_conv"})(x);
  if (normalize) x = normalized_relu(x, "conv1");
  return MaxPooling2D(3, {.strides = 2, .name = "pool1_pool"})(ZeroPadding2D(1, {.name = "pool1_pad"})(x));
}

struct Stage {
  int64_t filters, blocks;
};
constexpr Stage kStages[] = {{64, 3}, {128, 4}, {256, 6}, {512, 3}};

}  // namespace

Model resnet50(const ImageNetOptions& options) {
  check_images("resnet50", options.input_shape, 32, options.classes);
  const auto inputs = Input(options.input_shape);
  auto x = stem(inputs, true);
  for (int64_t s = 0; s < 4; ++s) {
    for (int64_t b = 0; b < kStages[s].blocks; ++b) {
      const int64_t stride = s > 0 && b == 0 ? 2 : 1;  // a stage begins with a smaller image
      x = block_v1(x, kStages[s].filters, stride, b == 0, c10::str("conv", s + 2, "_block", b + 1));
    }
  }
  return Model(inputs, options.include_top ? classified(x, options, "avg_pool") : x, "resnet50");
}

Model resnet50v2(const ImageNetOptions& options) {
  check_images("resnet50v2", options.input_shape, 32, options.classes);
  const auto inputs = Input(options.input_shape);
  auto x = stem(inputs, false);
  for (int64_t s = 0; s < 4; ++s) {
    for (int64_t b = 0; b < kStages[s].blocks; ++b) {
      const int64_t stride = s < 3 && b + 1 == kStages[s].blocks ? 2 : 1;  // a stage ends with one
      x = block_v2(x, kStages[s].filters, stride, b == 0, c10::str("conv", s + 2, "_block", b + 1));
    }
  }
  x = normalized_relu(x, "post");
  return Model(inputs, options.include_top ? classified(x, options, "avg_pool") : x, "resnet50v2");
}

}  // namespace tandem::zoo

#include "tandem/zoo/mobilenetv2.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/depthwise_conv2d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/relu.h"
#include "tandem/layers/zero_padding2d.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {
namespace {

using namespace tandem::layers;

// `filters` as a multiple of 8, never more than a tenth below.
int64_t rounded(double filters) {
  const int64_t near = std::max<int64_t>(8, static_cast<int64_t>(filters + 4) / 8 * 8);
  return static_cast<double>(near) < 0.9 * filters ? near + 8 : near;
}

KerasTensor batch_norm(const KerasTensor& x, const std::string& name) {
  return BatchNormalization({.momentum = 0.999, .name = name})(x);
}

KerasTensor relu6(const KerasTensor& x, const std::string& name) { return ReLU({.max_value = 6.0, .name = name})(x); }

KerasTensor pointwise(const KerasTensor& x, int64_t filters, const std::string& name) {
  return Conv2D(filters, 1, {.padding = "same", .use_bias = false, .name = name})(x);
}

// What Keras adds for a strided 3x3 window, so that it ends with the last pixel: an unknown size counts as even.
AxisPadding before_stride(int64_t size) { return {size > 0 && size % 2 == 1 ? 1 : 0, 1}; }

KerasTensor inverted_residual(const KerasTensor& x, int64_t filters, int64_t stride, int64_t block) {
  const auto name = block == 0 ? std::string("expanded_conv_") : c10::str("block_", block, "_");
  const int64_t channels = x.shape().back();
  auto y = x;
  if (block > 0) {
    y = batch_norm(pointwise(y, 6 * channels, name + "expand"), name + "expand_BN");
    y = relu6(y, name + "expand_relu");
  }
  if (stride == 2) {
    const auto& shape = y.shape();
    y = ZeroPadding2D({before_stride(shape[1]), before_stride(shape[2])}, {.name = name + "pad"})(y);
  }
  y = DepthwiseConv2D(
      3,
      {.strides = stride, .padding = stride == 1 ? "same" : "valid", .use_bias = false, .name = name + "depthwise"})(y);
  y = relu6(batch_norm(y, name + "depthwise_BN"), name + "depthwise_relu");
  y = batch_norm(pointwise(y, filters, name + "project"), name + "project_BN");
  return channels == filters && stride == 1 ? Add({.name = name + "add"})({x, y}) : y;
}

}  // namespace

Model mobilenetv2(const MobileNetV2Options& options) {
  check_images("mobilenetv2", options.input_shape, 32, options.classes);
  if (!(options.alpha > 0)) throw InvalidArgument(c10::str("mobilenetv2: alpha must be positive, got ", options.alpha));
  struct Stage {
    int64_t filters, blocks, stride;
  };
  constexpr Stage kStages[] = {{16, 1, 1}, {24, 2, 2}, {32, 3, 2}, {64, 4, 2}, {96, 3, 1}, {160, 3, 2}, {320, 1, 1}};
  const auto inputs = Input(options.input_shape);
  auto x = Conv2D(rounded(32 * options.alpha), 3,
                  {.strides = 2, .padding = "same", .use_bias = false, .name = "Conv1"})(inputs);
  x = relu6(batch_norm(x, "bn_Conv1"), "Conv1_relu");
  int64_t block = 0;
  for (const auto& stage : kStages) {
    // The product loses its fraction before it is rounded, as in Keras.
    const auto filters = static_cast<double>(static_cast<int64_t>(static_cast<double>(stage.filters) * options.alpha));
    for (int64_t i = 0; i < stage.blocks; ++i)
      x = inverted_residual(x, rounded(filters), i == 0 ? stage.stride : 1, block++);
  }
  x = Conv2D(rounded(1280 * std::max(options.alpha, 1.0)), 1, {.use_bias = false, .name = "Conv_1"})(x);
  x = relu6(batch_norm(x, "Conv_1_bn"), "out_relu");
  if (options.include_top)
    x = classified(x, {.classes = options.classes, .classifier_activation = options.classifier_activation}, "");
  return Model(inputs, x, "mobilenetv2");
}

}  // namespace tandem::zoo

#pragma once
#include "tandem/zoo/image_net.h"

namespace tandem::zoo {

struct MobileNetV2Options {
  Shape input_shape = {224, 224, 3};
  double alpha = 1.0;  // width: the share of the paper's filters, each number rounded to a multiple of 8
  int64_t classes = 1000;
  bool include_top = true;  // false: the feature maps of the last convolution
  ActivationFunction classifier_activation = "softmax";
};

/// The network for small devices (Sandler et al. 2018, "MobileNetV2: inverted residuals and linear bottlenecks"): 17
/// blocks that widen by six, convolve each channel alone, and narrow. Layers, names and order of weights as
/// keras.applications.MobileNetV2, so that its published weights fit: 3,538,984 for alpha 1 and 1000 classes. Throws
/// InvalidArgument on images below 32x32, fewer than two classes, or an alpha that is not positive.
Model mobilenetv2(const MobileNetV2Options& options = {});

}  // namespace tandem::zoo

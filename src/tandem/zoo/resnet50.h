#pragma once
#include "tandem/zoo/image_net.h"

namespace tandem::zoo {

/// The residual network of 50 layers (He et al. 2015, "Deep residual learning for image recognition"): 16 bottlenecks
/// in four stages, normalised behind each convolution. Layers, names and order of weights as
/// keras.applications.ResNet50, so that its published weights fit: 25,636,712 for 1000 classes. Throws InvalidArgument
/// on images below 32x32 or fewer than two classes.
Model resnet50(const ImageNetOptions& options = {});

/// The same with normalisation and ReLU ahead of each convolution (He et al. 2016, "Identity mappings in deep residual
/// networks"), as keras.applications.ResNet50V2: 25,613,800 weights for 1000 classes.
Model resnet50v2(const ImageNetOptions& options = {});

}  // namespace tandem::zoo

#pragma once
#include "tandem/zoo/image_net.h"

namespace tandem::zoo {

/// Thirteen 3x3 convolutions in five blocks and three Dense layers (Simonyan and Zisserman 2014, "Very deep
/// convolutional networks for large-scale image recognition", configuration D). Layers, names and order of weights as
/// keras.applications.VGG16, so that its published weights fit: 138,357,544 for 224x224x3 and 1000 classes. Throws
/// InvalidArgument on images below 32x32 or fewer than two classes.
Model vgg16(const ImageNetOptions& options = {});

/// As image_net_recipe, with a tenth of the rate: there is no normalisation.
Recipe vgg16_recipe();

}  // namespace tandem::zoo

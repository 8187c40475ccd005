#pragma once
#include "tandem/zoo/image_net.h"

namespace tandem::zoo {

/// The densely connected network of 121 layers (Huang et al. 2016, "Densely connected convolutional networks"): each
/// layer of a block reads the outputs of all before it and adds 32 channels. Layers, names and order of weights as
/// keras.applications.DenseNet121, so that its published weights fit: 8,062,504 for 1000 classes. Throws
/// InvalidArgument on images below 32x32 or fewer than two classes.
Model densenet121(const ImageNetOptions& options = {});

}  // namespace tandem::zoo

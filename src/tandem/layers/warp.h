#pragma once
#include <string>

#include "tandem/core/tensor.h"
#include "tandem/layers/interpolation.h"

namespace tandem {

/// What stands outside of an image that is moved: [dcba|abcd|dcba], [abcd|abcd|abcd], a value, or the edge.
enum class Outside { reflect, wrap, constant, nearest };

/// "reflect", "wrap", "constant" or "nearest". Throws InvalidArgument naming `layer` and the nearest name.
Outside parse_fill_mode(const std::string& layer, const std::string& name);
std::string to_string(Outside outside);

struct WarpOptions {
  Outside outside = Outside::reflect;
  Interpolation interpolation = Interpolation::bilinear;
  double fill_value = 0;  // where `outside` is constant
};

/// Each image of (rows, height, width, channels) moved by a map of its own, differentiable: the output's pixel (y, x)
/// is the image's at (b0 x + b1 y + b2, a0 x + a1 y + a2). `maps`: (rows, 6), a0, a1, a2, b0, b1, b2 in pixels. As
/// keras.ops.image.affine_transform on TensorFlow, to the same pixels.
Tensor warp(const Tensor& images, const Tensor& maps, const WarpOptions& options);

}  // namespace tandem

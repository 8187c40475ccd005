#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

/// How a resized image gets its values.
enum class Interpolation { nearest, bilinear };

/// "nearest" or "bilinear", in any case. Throws InvalidArgument naming `layer` on another name; those that Keras knows
/// besides are said to be not supported.
Interpolation parse_interpolation(const std::string& layer, const std::string& name);
std::string to_string(Interpolation interpolation);

/// Images (rows, height, width, channels) as (rows, `height`, `width`, channels), differentiable. As tf.image.resize
/// without antialias: pixel centres at halves, edges repeated. The same tensor where the size stays.
Tensor resize_image(const Tensor& x, int64_t height, int64_t width, Interpolation interpolation);

}  // namespace tandem

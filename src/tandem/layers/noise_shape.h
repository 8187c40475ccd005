#pragma once
#include <string>

#include "tandem/core/config.h"
#include "tandem/layers/layer.h"

/// Dropout's noise_shape: the shape of the mask, in which -1 (None) stands for the input's size and 1 shares one draw
/// along the axis. Empty: the input's shape.
namespace tandem {

/// Throws InvalidArgument naming `layer` on other numbers.
void check_noise_shape(const std::string& layer, const Shape& noise_shape);
/// The mask's shape for an input. Throws InvalidArgument when they do not fit.
Shape mask_shape(const Layer& layer, const Shape& noise_shape, const Shape& input);
/// A mask with one row for all is the same wherever the rows begin.
inline bool differs_by_row(const Shape& noise_shape) { return noise_shape.empty() || noise_shape[0] != 1; }

/// A list with null for -1; null for an empty one.
Config noise_shape_to_config(const Shape& noise_shape);
/// From a config's member "noise_shape".
Shape noise_shape_from(const Config& config);

}  // namespace tandem

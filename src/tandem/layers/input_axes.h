#pragma once
#include <vector>

#include "tandem/layers/axes.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// The axes of a layer's input, none of them negative. Throws InvalidArgument, naming the layer and the shape, on one
/// that the input has not or that is the batch, on the same one twice, and on none.
std::vector<int64_t> input_axes(const Layer& layer, const Axes& axes, const Shape& input);

}  // namespace tandem

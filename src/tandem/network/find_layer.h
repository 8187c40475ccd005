#pragma once
#include <functional>
#include <string>

#include "tandem/layers/layer.h"

namespace tandem {

/// The first of `layer` and those within it, at any depth, that is such a one; null: none is.
const Layer* find_layer(const Layer& layer, const std::function<bool(const Layer&)>& is_one);

/// As errors name it: "'dense' (Dense)".
std::string quoted(const Layer& layer);

}  // namespace tandem

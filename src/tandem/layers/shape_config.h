#pragma once
#include "tandem/core/config.h"
#include "tandem/core/shape.h"

/// Shapes as Keras writes them in configs: [null, 32, 32, 3].
namespace tandem {

Config shape_to_config(const Shape& shape);
/// Throws DataError unless `config` is a list of positive whole numbers and nulls.
Shape shape_from_config(const Config& config);

}  // namespace tandem

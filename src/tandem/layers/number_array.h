#pragma once
#include "tandem/core/config.h"
#include "tandem/core/tensor.h"

/// Arrays of numbers in configs: a number or lists of lists, also as Keras stores an array of numpy.
namespace tandem {

/// null when undefined.
Config array_to_config(const Tensor& array);
/// float64, so that it is written as it was read; undefined from null. Throws DataError on other content and on lists
/// that are not of one length.
Tensor array_from_config(const Config& config);

}  // namespace tandem

#pragma once
#include "tandem/core/tensor.h"
#include "tandem/data/dataset.h"

namespace tandem::data {

/// The mean over the rows of the first input, float32 of one row's shape: an epoch as `dataset` serves it (transforms
/// applied, epoch 0), read once batch by batch and summed in double. Throws DataError or InvalidArgument when there are
/// no rows.
Tensor mean_image(const Dataset& dataset);

}  // namespace tandem::data

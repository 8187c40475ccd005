#pragma once
#include <cstdint>

#include "tandem/core/tensor.h"

namespace tandem {

/// Class labels as one-hot rows, float32: (rows) or (rows, 1) becomes (rows, classes). Without `classes` there is one
/// more class than the largest label. Throws InvalidArgument, naming label and row, for a label that is negative or too
/// large. As keras.utils.to_categorical.
Tensor to_categorical(const Tensor& labels, int64_t classes = -1);

}  // namespace tandem

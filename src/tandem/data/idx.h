#pragma once
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

/// The array in a file of MNIST's idx format, plain or gzip, as uint8 of its shape; idx files of other types are
/// refused. Throws DataError naming the file when its magic number, its sizes or its length are wrong.
Tensor load_idx(const std::string& path);

}  // namespace tandem

#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/tensor.h"

namespace tandem::data {

/// A JPEG picture as uint8 (height, width, channels), channels 1, 3 or 4 (then with full opacity). Throws DataError,
/// beginning with `where`, when it is damaged or cut short.
Tensor decode_jpeg(const std::string& bytes, int64_t channels, const std::string& where);
}  // namespace tandem::data

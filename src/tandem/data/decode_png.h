#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/tensor.h"

namespace tandem::data {

/// A PNG picture of any kind as uint8 (height, width, channels), channels 1, 3 or 4. Throws DataError, beginning with
/// `where`, when it is damaged or cut short.
Tensor decode_png(const std::string& bytes, int64_t channels, const std::string& where);

}  // namespace tandem::data

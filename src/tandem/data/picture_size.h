#pragma once
#include <c10/util/StringUtil.h>

#include <cstdint>
#include <string>

#include "tandem/core/error.h"

namespace tandem::data {

/// Throws DataError, beginning with `where`, for a picture of more than 2^28 pixels: no room is made for a size that
/// is most likely damaged.
inline void check_picture_size(int64_t height, int64_t width, const std::string& where) {
  constexpr int64_t kMostPixels = int64_t{1} << 28;
  if (height > kMostPixels / width)
    throw DataError(c10::str(where, ": is too large a picture, ", width, " x ", height, " pixels"));
}

}  // namespace tandem::data

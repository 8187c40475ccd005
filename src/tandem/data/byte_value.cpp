#include "tandem/data/byte_value.h"

#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"

namespace tandem::data {

uint8_t byte_value(double value, const char* where) {
  if (value >= 0 && value <= 255 && value == std::floor(value)) return static_cast<uint8_t>(value);
  throw InvalidArgument(c10::str(where, " must be a whole number from 0 to 255 for images of bytes, got ", value));
}

}  // namespace tandem::data

#pragma once
#include <cstdint>

namespace tandem::data {

/// A value for images of bytes. Throws InvalidArgument, beginning with `where`, unless it is a whole number from 0 to
/// 255.
uint8_t byte_value(double value, const char* where);

}  // namespace tandem::data

#pragma once
#include <string>
#include <string_view>

#include "tandem/core/config.h"

namespace tandem {

/// The value as JSON: compact, or with `indent` spaces a level. Reals are written as Python writes them, with the
/// fewest digits that read back the same. Throws DataError, naming the member, for what JSON cannot hold.
std::string write_json(const Config& value, int indent = -1);

/// A finite real, always with a point or an exponent: a reader that tells whole numbers from reals must see a real.
std::string json_real(double value);

/// A JSON string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace tandem

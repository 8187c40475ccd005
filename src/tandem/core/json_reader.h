#pragma once
#include <string_view>

#include "tandem/core/config.h"

namespace tandem {

inline constexpr int kDeepestJson = 200;  // levels: reading, writing and destroying recurse once a level

/// The value that a JSON text (RFC 8259) holds, whole numbers and reals apart; a repeated key keeps its first place and
/// takes its last value, as in Python. Throws DataError, with the byte where the text is malformed.
Config read_json(std::string_view text);

}  // namespace tandem

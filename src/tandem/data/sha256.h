#pragma once
#include <string>

namespace tandem::data {

/// SHA-256 of a file's bytes in lower-case hexadecimal. Throws DataError when the file cannot be read.
std::string sha256_of(const std::string& path);

}  // namespace tandem::data

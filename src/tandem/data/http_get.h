#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace tandem::data {

/// Appends to `file` what it lacks of the `bytes` bytes at `url` (https or http; redirects stay with https once they
/// are there), beginning anew where the server cannot go on in the middle. Gives what went wrong in words, or "".
/// Nothing beyond `bytes` is written; a file that is longer is begun anew.
std::string http_get(const std::string& url, const std::filesystem::path& file, int64_t bytes);

}  // namespace tandem::data

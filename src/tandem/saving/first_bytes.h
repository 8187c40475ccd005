#pragma once
#include <cstddef>
#include <string>

namespace tandem::saving {

inline constexpr std::size_t kFirstBytes = 16;

/// The first kFirstBytes bytes of a file, fewer where it is shorter: they tell what it is, whatever its name ends in.
/// Throws DataError when it cannot be read; a folder is told that `needed` ("a weights file") must be there.
std::string first_bytes(const std::string& path, const std::string& needed);

}  // namespace tandem::saving

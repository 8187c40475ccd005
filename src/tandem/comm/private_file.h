#pragma once
#include <optional>
#include <string>

namespace tandem::comm {

/// Writes a file that its user alone may read (mode 0600), in one step: under another name, flushed to the disk, then
/// given its name. Throws DataError "<what> <path>: <reason>"; also when the file is there and must not be replaced.
void write_private_file(const std::string& what, const std::string& path, const std::string& text, bool replace);

/// What such a file holds, at most 4096 bytes; nothing where there is none. Throws DataError "<what> <path>: <reason>"
/// when it is no plain file, belongs to another user, or others have rights to it.
std::optional<std::string> read_private_file(const std::string& what, const std::string& path);

}  // namespace tandem::comm

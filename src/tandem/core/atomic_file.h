#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace tandem {

/// Replaces the file `path` by `bytes` in one step: they are written beside it under another name, flushed to the disk,
/// and renamed, so that a reader, or a crash at any moment, sees the old content or the new, never a part. Keeps the
/// mode of a file that it replaces and writes through symbolic links; a device or pipe is written to directly. Throws
/// DataError "<path>: <reason>".
void write_file_atomically(const std::string& path, std::string_view bytes);

/// As above for libraries that write files themselves: `write` fills the (empty) file that it is given the name of.
/// When it throws, the old file stays as it was.
void write_file_atomically(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// Throws the DataError that writing `path` would end with as things stand: folder missing, not a folder, no
/// permission. For use before work that takes long.
void check_writable(const std::string& path);

}  // namespace tandem

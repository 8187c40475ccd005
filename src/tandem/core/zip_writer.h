#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// A file within a zip file.
struct ZipMember {
  std::string name;
  std::string_view bytes;
};

/// Replaces the file `path` by a zip file of these members in one step (core/atomic_file.h). They are stored, not
/// deflated, and carry the same time always, so that the same members make the same bytes; zip64 where they are large.
/// Throws DataError "<path>: <reason>".
void write_zip_file(const std::string& path, const std::vector<ZipMember>& members);

}  // namespace tandem

#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tandem::data {

/// A file wanted of an archive.
struct TarMember {
  std::string name;  // with the folders that the archive names
  int64_t bytes = 0;
};

/// Writes the wanted members of a .tar.gz (ustar) into `folder` under their names without folders, each in one step;
/// all else in the archive is passed over. Throws DataError naming the archive when it is damaged, a member is missing,
/// or one is not of the size that it must have.
void unpack_tar_gz(const std::string& archive, const std::vector<TarMember>& wanted,
                   const std::filesystem::path& folder);

}  // namespace tandem::data

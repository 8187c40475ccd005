#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tandem::data {

/// A file that can be fetched. Nothing is fetched without its size and checksum being known.
struct RemoteFile {
  std::string name;               // under which it is kept
  std::vector<std::string> urls;  // the same file at several places, tried one after the other
  int64_t bytes = 0;
  std::string sha256;  // lower-case hexadecimal
};

/// Where a data set's files are kept: $TANDEM_DATA/<data set>, or ~/.cache/tandem/datasets/<data set>. Throws
/// InvalidArgument when neither variable is set.
std::filesystem::path cache_folder(const std::string& data_set);

/// Brings `file` into `folder`, which is made, unless it is there. It is written under another name (.part), resumed
/// from there after an interruption, compared with its checksum and then renamed; of several processes one fetches and
/// the others wait. Gives up after 20 s without a connection or 30 s below 1 kB a second. https is verified. Throws
/// DataError, beginning with `where`: one line with what was tried.
void download(const RemoteFile& file, const std::filesystem::path& folder, const std::string& where);

}  // namespace tandem::data

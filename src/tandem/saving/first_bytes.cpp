#include "tandem/saving/first_bytes.h"

#include <c10/util/StringUtil.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "tandem/core/error.h"

namespace tandem::saving {

std::string first_bytes(const std::string& path, const std::string& needed) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw DataError(c10::str(path, ": is a folder; ", needed, " is needed"));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(c10::str(path, ": cannot be read: ", std::generic_category().message(errno)));
  std::string bytes(kFirstBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace tandem::saving

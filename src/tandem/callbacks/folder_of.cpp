#include "tandem/callbacks/folder_of.h"

#include <c10/util/StringUtil.h>

#include <filesystem>

#include "tandem/core/error.h"

namespace tandem {

void make_folder_of(const std::string& path, const std::string& who) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw DataError(c10::str(who, ": folder '", folder.string(), "' cannot be made: ", error.message()));
}

}  // namespace tandem

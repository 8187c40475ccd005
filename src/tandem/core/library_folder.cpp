#include "tandem/core/library_folder.h"

#include <dlfcn.h>

namespace tandem {

std::filesystem::path library_folder(const void* within) {
  Dl_info info;
  if (!::dladdr(within, &info) || !info.dli_fname) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

}  // namespace tandem

// In place of zip_writer.cpp where libzip is missing.
#include "tandem/core/error.h"
#include "tandem/core/zip_writer.h"

namespace tandem {

void write_zip_file(const std::string& path, const std::vector<ZipMember>&) {
  throw InvalidArgument(path + ": zip files (.keras) cannot be written: Tandem was built without libzip");
}

}  // namespace tandem

// In place of gz_file.cpp where zlib is missing: files that are not packed can be read.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tandem/core/error.h"
#include "tandem/data/gz_file.h"

namespace tandem::data {

struct GzFile::Impl {
  std::ifstream file;
  std::string path;
};

GzFile::GzFile(const std::string& path) : impl_(new Impl{{}, path}) {
  errno = std::filesystem::is_directory(path) ? EISDIR : 0;
  if (errno == 0) impl_->file.open(path, std::ios::binary);
  if (!impl_->file.is_open()) throw DataError(path + ": cannot be read: " + std::strerror(errno));
  char magic[2] = {};
  if (impl_->file.read(magic, 2) && magic[0] == '\x1f' && magic[1] == '\x8b') {
    throw InvalidArgument(path + ": gzip files cannot be read: Tandem was built without zlib; unpack it first");
  }
  impl_->file.clear();
  impl_->file.seekg(0);
}
GzFile::~GzFile() = default;

std::size_t GzFile::read(void* to, std::size_t bytes) {
  impl_->file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
  if (impl_->file.bad()) throw DataError(impl_->path + ": cannot be read");
  return static_cast<std::size_t>(impl_->file.gcount());
}

}  // namespace tandem::data

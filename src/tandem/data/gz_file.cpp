#include "tandem/data/gz_file.h"

#include <c10/util/StringUtil.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tandem/core/error.h"

namespace tandem::data {
namespace {

constexpr unsigned kBuffer = 1 << 17;         // bytes
constexpr std::size_t kMostAtOnce = 1 << 30;  // gzread counts in int

}  // namespace

struct GzFile::Impl {
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };
  std::string path;
  std::unique_ptr<gzFile_s, Close> file;
};

GzFile::GzFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  errno = std::filesystem::is_directory(path) ? EISDIR : 0;
  if (errno == 0) impl_->file.reset(gzopen(path.c_str(), "rb"));
  if (!impl_->file) throw DataError(c10::str(path, ": cannot be read: ", std::strerror(errno)));
  gzbuffer(impl_->file.get(), kBuffer);
}

GzFile::~GzFile() = default;

std::size_t GzFile::read(void* to, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const auto wanted = static_cast<unsigned>(std::min(bytes - got, kMostAtOnce));
    const int more = gzread(impl_->file.get(), static_cast<char*>(to) + got, wanted);
    int status = Z_OK;
    const std::string reason = gzerror(impl_->file.get(), &status);  // begins with the path
    if (status == Z_ERRNO) throw DataError(c10::str(impl_->path, ": cannot be read: ", std::strerror(errno)));
    if (more < 0 || status == Z_BUF_ERROR)
      throw DataError(c10::str(impl_->path, ": is damaged or cut short", reason.substr(reason.rfind(": "))));
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  return got;
}

}  // namespace tandem::data

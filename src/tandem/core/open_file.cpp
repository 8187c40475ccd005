#include "tandem/core/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tandem {

OpenFile::OpenFile(const std::string& path, int flags, unsigned mode)
    : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

OpenFile::~OpenFile() {
  if (is_open()) ::close(number_);
}

int OpenFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(number_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int OpenFile::flush() { return ::fsync(number_) == 0 ? 0 : errno; }

int OpenFile::close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

}  // namespace tandem

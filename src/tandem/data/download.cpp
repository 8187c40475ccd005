#include "tandem/data/download.h"

#include <c10/util/StringUtil.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/sha256.h"
#include "tandem/data/http_get.h"

namespace tandem::data {
namespace {

namespace fs = std::filesystem;

// Held while files come into a folder. Some network file systems have no locks: they do without.
class FolderLock {
 public:
  FolderLock(const fs::path& folder, const std::string& where)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      throw DataError(c10::str(where, ": cannot read the folder ", folder.string(), ": ", std::strerror(errno)));
    while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() { ::close(descriptor_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

int64_t size_of(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  return error ? 0 : static_cast<int64_t>(bytes);
}

// Completes `part` from one place; gives what went wrong, or "". A part that turns out wrong is removed.
std::string fetch(const RemoteFile& file, const std::string& url, const fs::path& part) {
  if (size_of(part) < file.bytes) {
    if (const auto problem = http_get(url, part, file.bytes); !problem.empty()) return problem;
  }
  if (size_of(part) < file.bytes) return c10::str("it ended after ", size_of(part), " of ", file.bytes, " bytes");
  const auto found = sha256_of(part.string());
  if (found == file.sha256) return "";
  fs::remove(part);
  return c10::str("its SHA-256 must be ", file.sha256, ", is ", found);
}

}  // namespace

fs::path cache_folder(const std::string& data_set) {
  if (const char* folder = std::getenv("TANDEM_DATA"); folder && *folder) return fs::path(folder) / data_set;
  if (const char* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".cache" / "tandem" / "datasets" / data_set;
  throw InvalidArgument(c10::str(data_set, ": give the folder of its files, or name one for all in TANDEM_DATA"));
}

void download(const RemoteFile& file, const fs::path& folder, const std::string& where) {
  const auto target = folder / file.name;
  if (file.sha256.empty() || file.bytes <= 0)
    throw InvalidArgument(c10::str(where, ": ", file.name, " is not fetched, its SHA-256 or size is not known"));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw DataError(c10::str(where, ": cannot make the folder ", folder.string(), ": ", error.message()));
  const FolderLock lock(folder, where);
  if (fs::exists(target)) return;

  const auto part = folder / (file.name + ".part");
  std::string tried;
  for (const auto& url : file.urls) {
    const bool resumed = size_of(part) > 0;
    log_info(c10::str(where, ": downloading ", url, " (", file.bytes, " bytes) to ", folder.string()));
    auto problem = fetch(file, url, part);
    // What an earlier run left may be of another file.
    if (!problem.empty() && resumed && !fs::exists(part)) problem = fetch(file, url, part);
    if (problem.empty()) {
      fs::rename(part, target, error);
      if (error) throw DataError(c10::str(where, ": cannot write ", target.string(), ": ", error.message()));
      return;
    }
    tried += c10::str(tried.empty() ? "" : "; ", url, ": ", problem);
  }
  throw DataError(c10::str(where, ": cannot download ", file.name, " (", tried,
                           "); a folder that holds the files can be given instead"));
}

}  // namespace tandem::data

#include "tandem/core/atomic_file.h"

#include <c10/util/StringUtil.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "tandem/core/error.h"
#include "tandem/core/open_file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw DataError(c10::str(path, ": ", reason));
}

[[noreturn]] void fail(const std::string& path, int code) {
  fail(path, c10::str("cannot be written: ", std::generic_category().message(code)));
}

// Removes the temporary file unless it has become the real one.
class Temporary {
 public:
  explicit Temporary(const fs::path& folder) {
    static std::atomic<unsigned> count{0};
    name_ = (folder / c10::str(".tandem-", ::getpid(), "-", count++, ".tmp")).string();
  }
  ~Temporary() {
    if (!kept_) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& name() const { return name_; }
  void keep() { kept_ = true; }

 private:
  std::string name_;
  bool kept_ = false;
};

struct Target {
  fs::path file;         // after symbolic links
  fs::path folder;       // that holds it
  bool exists = false;   // as an ordinary file
  bool special = false;  // a device or pipe: renaming over it would replace the device itself
  mode_t mode = 0;       // of the file that exists
};

Target find_target(const std::string& path) {
  if (path.empty()) fail("''", "a file name must not be empty");
  std::error_code ignored;
  Target target;
  target.file = path;
  for (int links = 0; fs::is_symlink(target.file, ignored); ++links) {
    if (links == 40) fail(path, ELOOP);
    // Joining with an absolute path gives that path.
    target.file = target.file.parent_path() / fs::read_symlink(target.file, ignored);
  }
  target.folder = target.file.has_parent_path() ? target.file.parent_path() : fs::path(".");

  struct stat status {};
  if (::stat(target.folder.c_str(), &status) != 0) {
    fail(path, errno == ENOENT ? c10::str("the folder '", target.folder.string(), "' does not exist")
                               : std::generic_category().message(errno));
  }
  if (!S_ISDIR(status.st_mode)) fail(path, c10::str("'", target.folder.string(), "' is not a folder"));
  if (::stat(target.file.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(path, "is a folder; a file name is needed");
    target.special = !S_ISREG(status.st_mode);
    target.exists = !target.special;
    target.mode = status.st_mode & 07777;
    if (::access(target.file.c_str(), W_OK) != 0) fail(path, errno);
  }
  if (!target.special && ::access(target.folder.c_str(), W_OK | X_OK) != 0) {
    fail(path, c10::str("the folder '", target.folder.string(),
                        "' cannot be written to: ", std::generic_category().message(errno)));
  }
  return target;
}

void check(const std::string& path, int code) {
  if (code != 0) fail(path, code);
}

}  // namespace

void write_file_atomically(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  const Target target = find_target(path);
  if (target.special) return write(target.file.string());

  Temporary temporary(target.folder);
  {
    const OpenFile created(temporary.name(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (!created.is_open()) fail(path, errno);
  }
  write(temporary.name());

  OpenFile written(temporary.name(), O_WRONLY);
  if (!written.is_open()) fail(path, errno);
  if (target.exists && ::fchmod(written.number(), target.mode) != 0) fail(path, errno);
  check(path, written.flush());
  check(path, written.close());
  if (::rename(temporary.name().c_str(), target.file.c_str()) != 0) fail(path, errno);
  temporary.keep();

  // The new name itself reaches the disk with its folder. Some file systems cannot flush a folder: nothing is lost by
  // that.
  OpenFile folder(target.folder.string(), O_RDONLY | O_DIRECTORY);
  if (folder.is_open()) folder.flush();
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  write_file_atomically(path, [&](const std::string& temporary) {
    OpenFile file(temporary, O_WRONLY | O_TRUNC);
    if (!file.is_open()) fail(path, errno);
    check(path, file.write(bytes));
    check(path, file.close());
  });
}

void check_writable(const std::string& path) { find_target(path); }

}  // namespace tandem

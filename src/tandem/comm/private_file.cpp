#include "tandem/comm/private_file.h"

#include <c10/util/StringUtil.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

constexpr std::size_t kLongest = 4096;  // bytes

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

bool write_all(int to, const std::string& text) {
  const char* at = text.data();
  for (std::size_t left = text.size(); left > 0;) {
    const auto n = ::write(to, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += n;
    left -= static_cast<std::size_t>(n);
  }
  return ::fsync(to) == 0;
}

// Gives the file its name; false, with errno, where that cannot be, or must not since the name is taken.
bool name_it(const std::string& temporary, const std::string& path, bool replace) {
  if (replace) return ::rename(temporary.c_str(), path.c_str()) == 0;
  if (::link(temporary.c_str(), path.c_str()) != 0) return false;
  ::unlink(temporary.c_str());
  return true;
}

}  // namespace

void write_private_file(const std::string& what, const std::string& path, const std::string& text, bool replace) {
  const auto fail = [&] { throw DataError(c10::str(what, " ", path, ": cannot be written: ", std::strerror(errno))); };
  const auto temporary = c10::str(path, ".", ::getpid(), ".new");
  ::unlink(temporary.c_str());  // of a process that was killed here
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.number() < 0) fail();
  if (write_all(file.number(), text) && name_it(temporary, path, replace)) return;
  const int reason = errno;
  ::unlink(temporary.c_str());
  errno = reason;
  fail();
}

std::optional<std::string> read_private_file(const std::string& what, const std::string& path) {
  const auto fail = [&](const std::string& why) { throw DataError(c10::str(what, " ", path, ": ", why)); };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.number() < 0) {
    if (errno == ENOENT || errno == ESTALE) return std::nullopt;
    fail(errno == ELOOP ? "must be a plain file" : c10::str("cannot be read: ", std::strerror(errno)));
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(c10::str("cannot be read: ", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) fail("must be a plain file");
  if (status.st_uid != ::geteuid())
    fail(c10::str("must belong to user ", ::geteuid(), ", whose job this is, and belongs to ", status.st_uid));
  if ((status.st_mode & 077) != 0) fail("must be readable by its user alone (mode 0600), others have rights to it");
  std::string text(kLongest, '\0');
  const auto n = ::read(file.number(), text.data(), text.size());
  if (n < 0) fail(c10::str("cannot be read: ", std::strerror(errno)));
  text.resize(static_cast<std::size_t>(n));
  return text;
}

}  // namespace tandem::comm

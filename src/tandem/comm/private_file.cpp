#include "tandem/comm/private_file.h"

#include <c10/util/StringUtil.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tandem/core/error.h"
#include "tandem/core/open_file.h"

namespace tandem::comm {
namespace {

constexpr std::size_t kLongest = 4096;  // bytes

// Gives the file its name; returns 0, or the error's number where that cannot be, or must not since the name is taken.
int name_it(const std::string& temporary, const std::string& path, bool replace) {
  if (replace) return ::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (::link(temporary.c_str(), path.c_str()) != 0) return errno;
  ::unlink(temporary.c_str());
  return 0;
}

}  // namespace

void write_private_file(const std::string& what, const std::string& path, const std::string& text, bool replace) {
  const auto fail = [&](int reason) {
    throw DataError(c10::str(what, " ", path, ": cannot be written: ", std::strerror(reason)));
  };
  const auto temporary = c10::str(path, ".", ::getpid(), ".new");
  ::unlink(temporary.c_str());  // of a process that was killed here
  OpenFile file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file.is_open()) fail(errno);
  int reason = file.write(text);
  if (reason == 0) reason = file.flush();
  if (reason == 0) reason = name_it(temporary, path, replace);
  if (reason == 0) return;
  ::unlink(temporary.c_str());
  fail(reason);
}

std::optional<std::string> read_private_file(const std::string& what, const std::string& path) {
  const auto fail = [&](const std::string& why) { throw DataError(c10::str(what, " ", path, ": ", why)); };
  const OpenFile file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.is_open()) {
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

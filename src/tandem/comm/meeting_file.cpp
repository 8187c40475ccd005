#include "tandem/comm/meeting_file.h"

#include <c10/util/StringUtil.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

constexpr std::size_t kLongest = 4096;  // bytes

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw DataError(c10::str("meeting file ", path, ": ", why));
}

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

}  // namespace

std::string meeting_file_path(const cluster::Environment& environment) {
  std::filesystem::path folder;
  if (const auto given = environment.get("TANDEM_MEETING_DIR")) {
    folder = *given;
  } else if (const auto home = environment.get("HOME")) {
    folder = std::filesystem::path(*home) / ".cache" / "tandem" / "jobs";
    std::error_code ignored;  // a folder that is not there in the end is an error below
    std::filesystem::create_directories(folder, ignored);
  } else {
    throw InvalidArgument(
        "TANDEM_MEETING_DIR: must name a folder that all hosts of the job see, where HOME is not set");
  }
  if (!std::filesystem::is_directory(folder))
    throw InvalidArgument(
        c10::str("TANDEM_MEETING_DIR: must be a folder that all hosts of the job see, got '", folder.string(), "'"));
  const auto part = [&](const char* name) { return environment.get(name).value_or("0"); };
  // A job that is queued again has the ids of its earlier run.
  auto name = c10::str(environment.get("SLURM_CLUSTER_NAME").value_or("slurm"), "-", part("SLURM_JOB_ID"), "-",
                       part("SLURM_RESTART_COUNT"), "-", part("SLURM_STEP_ID"));
  for (auto& c : name) {
    if (c == '/') c = '_';
  }
  return folder / (name + ".meeting");
}

MeetingFile::MeetingFile(std::string path, const std::string& text) : path_(std::move(path)) {
  const auto temporary = c10::str(path_, ".", ::getpid(), ".new");
  ::unlink(temporary.c_str());  // of a process that was killed here
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.number() < 0) fail(path_, c10::str("cannot be written: ", std::strerror(errno)));
  if (!write_all(file.number(), text) || ::rename(temporary.c_str(), path_.c_str()) != 0) {
    const auto why = c10::str("cannot be written: ", std::strerror(errno));
    ::unlink(temporary.c_str());
    fail(path_, why);
  }
}

MeetingFile::~MeetingFile() { ::unlink(path_.c_str()); }

std::optional<std::string> read_meeting_file(const std::string& path) {
  // Opening the folder makes NFS ask its server again, which else may go on for a minute about a file that was not
  // there.
  if (auto* folder = ::opendir(std::filesystem::path(path).parent_path().c_str())) ::closedir(folder);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.number() < 0) {
    if (errno == ENOENT || errno == ESTALE) return std::nullopt;
    fail(path, errno == ELOOP ? "must be a plain file" : c10::str("cannot be read: ", std::strerror(errno)));
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(path, c10::str("cannot be read: ", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) fail(path, "must be a plain file");
  if (status.st_uid != ::geteuid())
    fail(path, c10::str("must belong to user ", ::geteuid(), ", whose job this is, and belongs to ", status.st_uid));
  if ((status.st_mode & 077) != 0)
    fail(path, "must be readable by its user alone (mode 0600), others have rights to it");
  std::string text(kLongest, '\0');
  const auto n = ::read(file.number(), text.data(), text.size());
  if (n < 0) fail(path, c10::str("cannot be read: ", std::strerror(errno)));
  text.resize(static_cast<std::size_t>(n));
  return text;
}

}  // namespace tandem::comm

#include "tandem/comm/shared_memory.h"

#include <c10/util/StringUtil.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

std::string own_path(int file) { return c10::str("/proc/", ::getpid(), "/fd/", file); }

[[noreturn]] void throw_errno(const std::string& what) {
  throw PeerError(c10::str("shared memory: ", what, ": ", std::strerror(errno), "; backend \"gloo\" does without"));
}

// Locks of the open file and not of the process: those of two objects in one process are two.
struct flock lock_of(int64_t place, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = place;
  lock.l_len = 1;
  return lock;
}

}  // namespace

SharedMemory SharedMemory::make(std::size_t bytes) {
  const int file = ::memfd_create("tandem", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) throw_errno("cannot be made");
  // Nobody can cut it, under others that use it.
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    const int error = errno;
    ::close(file);
    errno = error;
    throw_errno(c10::str(bytes, " bytes cannot be had"));
  }
  return SharedMemory(file);
}

SharedMemory SharedMemory::open(const std::string& address) {
  const int file = ::open(address.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw_errno(c10::str("cannot open ", address));
  return SharedMemory(file);
}

SharedMemory::SharedMemory(int file) : file_(file) {
  struct stat facts {};
  void* data = MAP_FAILED;
  if (::fstat(file_, &facts) == 0) {
    size_ = static_cast<std::size_t>(facts.st_size);
    data = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  }
  if (data == MAP_FAILED) {
    const int error = errno;
    ::close(file_);
    errno = error;
    throw_errno(c10::str(size_, " bytes cannot be mapped"));
  }
  data_ = static_cast<std::byte*>(data);
}

SharedMemory::~SharedMemory() {
  if (!data_) return;
  ::munmap(data_, size_);
  ::close(file_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::exchange(other.file_, -1)), data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

std::string SharedMemory::address() const { return own_path(file_); }

void SharedMemory::take_place(int64_t place) {
  auto lock = lock_of(place, F_WRLCK);
  if (::fcntl(file_, F_OFD_SETLK, &lock) != 0) throw_errno(c10::str("place ", place, " cannot be taken"));
}

bool SharedMemory::is_taken(int64_t place) const {
  auto lock = lock_of(place, F_WRLCK);
  if (::fcntl(file_, F_OFD_GETLK, &lock) != 0) throw_errno(c10::str("place ", place, " cannot be looked at"));
  return lock.l_type != F_UNLCK;
}

}  // namespace tandem::comm

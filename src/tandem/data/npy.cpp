#include "tandem/data/npy.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/data/npy_header.h"
#include "tandem/data/read_npy.h"

namespace tandem {
namespace {

// A file open for reading.
class NpyFile {
 public:
  explicit NpyFile(const std::string& path) : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail();
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) {
      const int error = errno;
      ::close(descriptor_);
      errno = error;
      fail();
    }
    size_ = about.st_size;
  }
  ~NpyFile() { ::close(descriptor_); }
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  int64_t size() const { return size_; }

  std::size_t read(void* to, std::size_t bytes) const {
    std::size_t got = 0;
    while (got < bytes) {
      const ssize_t more = ::read(descriptor_, static_cast<char*>(to) + got, bytes - got);
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) fail();
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    return got;
  }
  void rewind() const {
    if (::lseek(descriptor_, 0, SEEK_SET) != 0) fail();
  }

  // The whole file; pages that are written to become this process's own.
  void* map() const {
    void* start = ::mmap(nullptr, static_cast<std::size_t>(size_), PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor_, 0);
    if (start == MAP_FAILED) fail();
    return start;
  }

 private:
  [[noreturn]] void fail() const { throw DataError(c10::str(path_, ": cannot be read: ", std::strerror(errno))); }

  std::string path_;
  int descriptor_;
  int64_t size_ = 0;
};

bool can_be_viewed(const data::NpyHeader& header) {
  const auto element = static_cast<int64_t>(c10::elementSize(header.type));
  return !header.swapped && (!header.fortran_order || header.shape.size() < 2) && header.data_begin % element == 0;
}

Tensor view_of(const NpyFile& file, const data::NpyHeader& header, const std::string& path) {
  if (file.size() - header.data_begin != header.data_bytes) {
    throw DataError(c10::str(path, ": must hold ", header.data_bytes, " bytes of data for its shape ",
                             Shape::of(header.shape), ", holds ", file.size() - header.data_begin));
  }
  char* start = static_cast<char*>(file.map());
  const auto bytes = static_cast<std::size_t>(file.size());
  return at::from_blob(
      start + header.data_begin, header.shape, [start, bytes](void*) { ::munmap(start, bytes); },
      at::TensorOptions().dtype(header.type));
}

}  // namespace

Tensor load_npy(const std::string& path, const NpyOptions& options) {
  const NpyFile file(path);
  const data::ReadBytes read = [&](void* to, std::size_t bytes) { return file.read(to, bytes); };
  if (options.memory_map) {
    const auto header = data::read_npy_header(read, path);
    if (can_be_viewed(header)) return view_of(file, header, path);
    file.rewind();
  }
  return data::read_npy(read, file.size(), path);
}

void save_npy(const std::string& path, const Tensor& tensor) {
  if (!tensor.defined()) throw InvalidArgument("save_npy: the tensor is undefined");
  const std::string header = data::make_npy_header(tensor.scalar_type(), tensor.sizes().vec());
  const Tensor values = tensor.detach().cpu().contiguous();
  write_file_atomically(path, [&](const std::string& temporary) {
    std::ofstream out(temporary, std::ios::binary);
    out << header;
    out.write(static_cast<const char*>(values.const_data_ptr()), static_cast<std::streamsize>(values.nbytes()));
    out.close();
    if (!out) throw DataError(c10::str(path, ": ", std::strerror(errno)));
  });
}

}  // namespace tandem

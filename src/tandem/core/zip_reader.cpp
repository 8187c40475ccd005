#include "tandem/core/zip_reader.h"

#include <c10/util/StringUtil.h>
#include <zip.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"

namespace tandem {
namespace {

// Deflate cannot make more than this many bytes of one; a member that declares more is not believed.
constexpr uint64_t kMostGrowth = 1032;

}  // namespace

struct ZipReader::Impl {
  struct Close {
    void operator()(zip_t* zip) const { zip_discard(zip); }
  };
  std::string path;
  std::unique_ptr<zip_t, Close> zip;
};

struct ZipReader::Member::Impl {
  struct Close {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };
  std::string where;
  uint64_t size = 0, taken = 0;
  std::unique_ptr<zip_file_t, Close> file;

  std::size_t read_some(void* to, std::size_t bytes) {
    const zip_int64_t got = zip_fread(file.get(), to, bytes);
    if (got < 0) throw DataError(c10::str(where, ": is damaged: ", zip_file_strerror(file.get())));
    return static_cast<std::size_t>(got);
  }
};

ZipReader::ZipReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  int code = 0;
  impl_->path = path;
  impl_->zip.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (impl_->zip) return;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw DataError(c10::str(path, ": cannot be opened as a zip file: ", reason));
}

ZipReader::~ZipReader() = default;

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(impl_->zip.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(impl_->zip.get(), static_cast<zip_uint64_t>(i), 0);
    if (!name) throw DataError(c10::str(impl_->path, ": the name of member ", i, " cannot be read"));
    names.emplace_back(name);
  }
  return names;
}

bool ZipReader::contains(const std::string& name) const {
  return zip_name_locate(impl_->zip.get(), name.c_str(), 0) >= 0;
}

ZipReader::Member ZipReader::open(const std::string& name) const {
  auto member = std::make_unique<Member::Impl>();
  member->where = impl_->path + ", member " + name;
  const zip_int64_t index = zip_name_locate(impl_->zip.get(), name.c_str(), 0);
  if (index < 0) throw DataError(c10::str(impl_->path, ": has no member ", name));
  zip_stat_t about;
  zip_stat_init(&about);
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if (zip_stat_index(impl_->zip.get(), static_cast<zip_uint64_t>(index), 0, &about) != 0 ||
      (about.valid & kNeeded) != kNeeded)
    throw DataError(c10::str(member->where, ": its size cannot be read"));
  if (about.size / kMostGrowth > about.comp_size) {
    throw DataError(
        c10::str(member->where, ": declares ", about.size, " bytes, which its ", about.comp_size, " cannot hold"));
  }
  member->size = about.size;
  member->file.reset(zip_fopen_index(impl_->zip.get(), static_cast<zip_uint64_t>(index), 0));
  if (!member->file) throw DataError(c10::str(member->where, ": ", zip_strerror(impl_->zip.get())));
  return Member(std::move(member));
}

std::string ZipReader::read(const std::string& name) const {
  Member member = open(name);
  std::string bytes(static_cast<std::size_t>(member.size()), '\0');
  if (member.read(bytes.data(), bytes.size()) < bytes.size())
    throw DataError(c10::str(member.impl_->where, ": must hold ", bytes.size(), " bytes, ends early"));
  return bytes;
}

ZipReader::Member::Member(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ZipReader::Member::~Member() = default;
ZipReader::Member::Member(Member&&) noexcept = default;
ZipReader::Member& ZipReader::Member::operator=(Member&&) noexcept = default;

int64_t ZipReader::Member::size() const { return static_cast<int64_t>(impl_->size); }

std::size_t ZipReader::Member::read(void* to, std::size_t bytes) {
  bytes = static_cast<std::size_t>(std::min<uint64_t>(bytes, impl_->size - impl_->taken));
  std::size_t got = 0;
  while (got < bytes) {
    const std::size_t more = impl_->read_some(static_cast<char*>(to) + got, bytes - got);
    if (more == 0) break;
    got += more;
  }
  impl_->taken += got;
  // The checksum is compared when the end is met, which takes one read more.
  char beyond = 0;
  if (impl_->taken == impl_->size && impl_->read_some(&beyond, 1) > 0)
    throw DataError(c10::str(impl_->where, ": holds more than the ", impl_->size, " bytes that it declares"));
  return got;
}

}  // namespace tandem

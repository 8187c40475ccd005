// In place of zip_reader.cpp where libzip is missing.
#include "tandem/core/error.h"
#include "tandem/core/zip_reader.h"

namespace tandem {
namespace {

[[noreturn]] void throw_without_libzip(const std::string& what) {
  throw InvalidArgument(what + ": zip files (.npz, .keras) cannot be read: Tandem was built without libzip");
}

}  // namespace

struct ZipReader::Impl {};
struct ZipReader::Member::Impl {};

ZipReader::ZipReader(const std::string& path) { throw_without_libzip(path); }
ZipReader::~ZipReader() = default;
std::vector<std::string> ZipReader::names() const { throw_without_libzip("names"); }
bool ZipReader::contains(const std::string& name) const { throw_without_libzip(name); }
std::string ZipReader::read(const std::string& name) const { throw_without_libzip(name); }
ZipReader::Member ZipReader::open(const std::string& name) const { throw_without_libzip(name); }

ZipReader::Member::~Member() = default;
ZipReader::Member::Member(Member&&) noexcept = default;
ZipReader::Member& ZipReader::Member::operator=(Member&&) noexcept = default;
int64_t ZipReader::Member::size() const { throw_without_libzip("size"); }
std::size_t ZipReader::Member::read(void*, std::size_t) { throw_without_libzip("read"); }

}  // namespace tandem

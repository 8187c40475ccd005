#include "tandem/core/zip_writer.h"

#include <c10/util/StringUtil.h>
#include <zip.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"

namespace tandem {
namespace {

constexpr zip_uint16_t kFirstDosDate = (1 << 5) | 1;  // 1 January 1980, with which zip files begin to count

[[noreturn]] void fail_to_write(const std::string& path, const std::string& reason) {
  throw DataError(c10::str(path, ": cannot be written: ", reason));
}

/// What libzip says about a step that did not return what it should.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

using ZipSource = std::unique_ptr<zip_source_t, decltype(&zip_source_free)>;
using OpenZip = std::unique_ptr<zip_t, decltype(&zip_discard)>;

// The zip file in memory. libzip itself would write beside the file and rename, also over a device.
ZipSource zip_in_memory(const std::string& path, const std::vector<ZipMember>& members) {
  ZipError error;
  ZipSource buffer(zip_source_buffer_create(nullptr, 0, 0, error.get()), &zip_source_free);
  if (!buffer) fail_to_write(path, error.text());
  OpenZip zip(zip_open_from_source(buffer.get(), ZIP_TRUNCATE, error.get()), &zip_discard);
  if (!zip) fail_to_write(path, error.text());
  zip_source_keep(buffer.get());  // of the two owners now
  const auto check = [&](bool ok) {
    if (!ok) fail_to_write(path, zip_strerror(zip.get()));
  };
  for (const auto& member : members) {
    ZipSource source(zip_source_buffer(zip.get(), member.bytes.data(), member.bytes.size(), 0), &zip_source_free);
    check(source != nullptr);
    const zip_int64_t added = zip_file_add(zip.get(), member.name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    check(added >= 0);
    source.release();  // the zip's now
    const auto index = static_cast<zip_uint64_t>(added);
    check(zip_set_file_compression(zip.get(), index, ZIP_CM_STORE, 0) == 0);
    check(zip_file_set_dostime(zip.get(), index, 0, kFirstDosDate, 0) == 0);
  }
  check(zip_close(zip.get()) == 0);
  zip.release();
  return buffer;
}

void copy_to_file(zip_source_t* source, const std::string& file, const std::string& path) {
  const auto check = [&](bool ok) {
    if (!ok) fail_to_write(path, std::generic_category().message(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wb"), &std::fclose);
  check(out != nullptr);
  if (zip_source_open(source) != 0) fail_to_write(path, zip_error_strerror(zip_source_error(source)));
  std::vector<char> piece(std::size_t{1} << 20);
  zip_int64_t got = 0;
  while ((got = zip_source_read(source, piece.data(), piece.size())) > 0) {
    const auto bytes = static_cast<std::size_t>(got);
    check(std::fwrite(piece.data(), 1, bytes, out.get()) == bytes);
  }
  if (got < 0) fail_to_write(path, zip_error_strerror(zip_source_error(source)));
  check(std::fflush(out.get()) == 0);
}

}  // namespace

void write_zip_file(const std::string& path, const std::vector<ZipMember>& members) {
  write_file_atomically(
      path, [&](const std::string& temporary) { copy_to_file(zip_in_memory(path, members).get(), temporary, path); });
}

}  // namespace tandem

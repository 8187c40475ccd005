#pragma once
#include <cstddef>
#include <memory>
#include <string>

namespace tandem::data {

/// Reads a file from its beginning, unpacking it when it is gzip. Throws DataError naming the file when it cannot be
/// opened, is damaged, or ends inside the packed data.
class GzFile {
 public:
  explicit GzFile(const std::string& path);
  ~GzFile();
  GzFile(const GzFile&) = delete;
  GzFile& operator=(const GzFile&) = delete;

  /// Up to `bytes` more; fewer only at the end.
  std::size_t read(void* to, std::size_t bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::data

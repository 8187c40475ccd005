#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tandem {

/// Reads the members of a zip file, stored or deflated, zip64 too. A member is never unpacked beyond the size that the
/// file declares for it, and its checksum is verified when its end is read. One thread at a time. Throws DataError,
/// naming the file and the member.
class ZipReader {
 public:
  explicit ZipReader(const std::string& path);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  /// Names of the members in the file's order.
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// The whole member.
  std::string read(const std::string& name) const;

  /// A member read piece by piece.
  class Member {
   public:
    ~Member();
    Member(Member&&) noexcept;
    Member& operator=(Member&&) noexcept;
    /// Unpacked size in bytes, as declared.
    int64_t size() const;
    /// Up to `bytes` more; fewer only at the end.
    std::size_t read(void* to, std::size_t bytes);

   private:
    friend class ZipReader;
    struct Impl;
    explicit Member(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
  };
  /// Must not outlive the reader.
  Member open(const std::string& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tandem

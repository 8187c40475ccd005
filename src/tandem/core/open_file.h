#pragma once
#include <string>
#include <string_view>

namespace tandem {

/// An open file that is closed on every way out, and by programs that are started meanwhile.
class OpenFile {
 public:
  /// As ::open, which leaves its reason in errno.
  OpenFile(const std::string& path, int flags, unsigned mode = 0);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Each returns 0, or the error's number.
  int write(std::string_view bytes);
  /// To the disk.
  int flush();
  /// Some file systems report a full disk only here.
  int close();

 private:
  int number_;
};

}  // namespace tandem

#pragma once
#include <cstddef>
#include <memory>
#include <string>

namespace tandem {

/// SHA-256 of bytes that come piece by piece. In a build without OpenSSL the constructor throws InvalidArgument.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void add(const void* bytes, std::size_t count);
  /// In lower-case hexadecimal; nothing may be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of a file's bytes in lower-case hexadecimal. Throws DataError when the file cannot be read.
std::string sha256_of(const std::string& path);

}  // namespace tandem

#pragma once
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/saving/safetensors_header.h"

namespace tandem::saving {

/// A safetensors file for reading: the header is read and checked at once, each tensor's values when they are asked
/// for. One thread at a time.
class SafetensorsFile {
 public:
  /// Throws DataError, naming the file and the tensor, when it cannot be read or anything in it does not fit.
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// In the order of their bytes.
  const std::vector<SafetensorsEntry>& tensors() const { return header_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  /// The values, row-major, of the entry's type. Throws DataError when they cannot be read, or are no truth values
  /// where those are said to be there.
  Tensor read(const SafetensorsEntry& entry);

 private:
  std::string path_;
  std::ifstream file_;
  uint64_t values_begin_ = 0;  // in the file
  SafetensorsHeader header_;
};

/// True when the content is a safetensors file's; also when it is neither that nor of another known kind, and the name
/// ends in .safetensors. Throws DataError when there is no file to read.
bool is_safetensors(const std::string& path);

}  // namespace tandem::saving

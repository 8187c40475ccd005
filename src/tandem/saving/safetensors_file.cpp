#include "tandem/saving/safetensors_file.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/saving/first_bytes.h"

namespace tandem::saving {
namespace {

static_assert(std::endian::native == std::endian::little, "values are little endian in the file and in memory");

constexpr std::size_t kLengthBytes = sizeof(uint64_t);  // the length of the header, in front of it

uint64_t length_in(const std::string& start) {
  uint64_t length = 0;
  std::memcpy(&length, start.data(), kLengthBytes);
  return length;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  const std::string start = first_bytes(path, "a safetensors file");
  std::error_code failed;
  const uint64_t size = std::filesystem::file_size(path, failed);
  file_.open(path, std::ios::binary);
  if (failed) throw DataError(c10::str(path, ": cannot be read: ", failed.message()));
  if (!file_) throw DataError(c10::str(path, ": cannot be read: ", std::generic_category().message(errno)));
  if (start.size() < kLengthBytes || size < kLengthBytes)
    throw DataError(c10::str(path, ": is too short for a safetensors file, has ", size, " bytes"));
  const uint64_t length = length_in(start);
  if (length > kLongestSafetensorsHeader || length > size - kLengthBytes) {
    throw DataError(c10::str(path, ": its header must have at most ", kLongestSafetensorsHeader,
                             " bytes and lie within the file's ", size, ", declares ", length));
  }
  std::string text(length, '\0');
  file_.seekg(kLengthBytes);
  if (!file_.read(text.data(), static_cast<std::streamsize>(length)))
    throw DataError(c10::str(path, ": its header cannot be read"));
  values_begin_ = kLengthBytes + length;
  header_ = parse_safetensors_header(text, size - values_begin_, path);
}

Tensor SafetensorsFile::read(const SafetensorsEntry& entry) {
  Tensor values = at::empty(entry.shape.sizes(), entry.type);
  auto* bytes = static_cast<char*>(values.mutable_data_ptr());
  const auto count = static_cast<std::streamsize>(values.nbytes());
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(values_begin_ + entry.begin));
  if (!file_.read(bytes, count))
    throw DataError(c10::str(path_, ": tensor ", Config(entry.name).shown(), ": ends early"));
  if (entry.type == at::kBool && std::any_of(bytes, bytes + count, [](char byte) { return byte != 0 && byte != 1; }))
    throw DataError(c10::str(path_, ": tensor ", Config(entry.name).shown(), ": truth values must be 0 or 1"));
  return values;
}

bool is_safetensors(const std::string& path) {
  const std::string start = first_bytes(path, "a weights file");
  // After the header's length comes its text. A zip file has 0 or 8 there, an HDF5 file 0 to 3.
  if (start.size() > kLengthBytes && start[kLengthBytes] == '{' && length_in(start) <= kLongestSafetensorsHeader)
    return true;
  return path.ends_with(".safetensors") && !start.starts_with("PK") && !start.starts_with("\x89HDF");
}

}  // namespace tandem::saving

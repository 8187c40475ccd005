#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/core/shape.h"

namespace tandem::saving {

/// A tensor of a safetensors file as the header describes it.
struct SafetensorsEntry {
  std::string name;
  at::ScalarType type;
  Shape shape;
  uint64_t begin = 0, end = 0;  // bytes, counted from the end of the header
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// Longest header in bytes that is read, as by the format's own library.
inline constexpr uint64_t kLongestSafetensorsHeader = 100'000'000;

/// Reads a header's JSON text; `value_bytes`: how many bytes the file has after it. What comes back is consistent:
/// every tensor's bytes are within the file and as many as its type and shape need, no byte belongs to two tensors or
/// to none, names differ. Memory is a small multiple of the text's length. Throws DataError, beginning with `where` and
/// naming the tensor, InvalidArgument in a build without nlohmann-json.
SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t value_bytes, const std::string& where);

/// The header's text for `header`, whose offsets are set. Padded with spaces so that the values begin at a multiple of
/// 8 bytes.
std::string safetensors_header_text(const SafetensorsHeader& header);

}  // namespace tandem::saving

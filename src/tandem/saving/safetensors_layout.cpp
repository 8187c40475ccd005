#include "tandem/saving/safetensors_layout.h"

#include <c10/core/ScalarType.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <tuple>

#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/saving/safetensors_types.h"

namespace tandem::saving {
namespace {

std::string place_of(const std::string& where, const SafetensorsEntry& tensor) {
  return c10::str(where, ": tensor ", Config(tensor.name).shown());
}

void check_names(std::vector<SafetensorsEntry>& tensors, const std::string& where) {
  const auto by_name = [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; };
  std::sort(tensors.begin(), tensors.end(), by_name);
  const auto twice =
      std::adjacent_find(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != tensors.end()) throw DataError(place_of(where, *twice) + ": must be there once");
}

}  // namespace

uint64_t safetensors_bytes(const SafetensorsEntry& tensor, const std::string& where) {
  uint64_t bytes = c10::elementSize(tensor.type);
  bool empty = false, countable = true;
  for (const int64_t size : tensor.shape) {
    empty = empty || size == 0;  // the strides are counted as if it were 1
    countable = countable && !__builtin_mul_overflow(bytes, static_cast<uint64_t>(std::max<int64_t>(size, 1)), &bytes);
  }
  if (!countable || bytes > static_cast<uint64_t>(INT64_MAX)) {
    throw DataError(
        c10::str(place_of(where, tensor), ": has a shape of more bytes than can be counted, ", tensor.shape));
  }
  return empty ? 0 : bytes;
}

void check_safetensors_layout(std::vector<SafetensorsEntry>& tensors, uint64_t value_bytes, const std::string& where) {
  check_names(tensors, where);
  const auto by_place = [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  };
  std::sort(tensors.begin(), tensors.end(), by_place);
  uint64_t reached = 0;
  for (const auto& tensor : tensors) {
    const auto fail = [&](const std::string& what) { throw DataError(c10::str(place_of(where, tensor), ": ", what)); };
    if (tensor.begin > tensor.end)
      fail(c10::str("must end after its beginning, is from byte ", tensor.begin, " to ", tensor.end));
    if (tensor.end > value_bytes)
      fail(c10::str("must lie within the ", value_bytes, " bytes of values, ends at byte ", tensor.end));
    if (tensor.begin < reached) fail(c10::str("overlaps the tensor before it, which ends at byte ", reached));
    if (tensor.begin > reached) fail(c10::str("leaves a hole in front of it, from byte ", reached, " on"));
    const uint64_t needed = safetensors_bytes(tensor, where);
    if (tensor.end - tensor.begin != needed) {
      fail(c10::str("must have ", needed, " bytes for ", safetensors_name(tensor.type), " ", tensor.shape, ", has ",
                    tensor.end - tensor.begin));
    }
    reached = tensor.end;
  }
  if (reached != value_bytes) {
    throw DataError(
        c10::str(where, ": its tensors must fill the ", value_bytes, " bytes after the header, fill ", reached));
  }
}

}  // namespace tandem::saving

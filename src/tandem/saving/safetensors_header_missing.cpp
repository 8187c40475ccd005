// In place of safetensors_header.cpp where nlohmann-json is missing.
#include "tandem/core/error.h"
#include "tandem/saving/safetensors_header.h"

namespace tandem::saving {
namespace {

[[noreturn]] void throw_without_json() {
  throw InvalidArgument("safetensors files cannot be read or written: Tandem was built without nlohmann-json");
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view, uint64_t, const std::string&) { throw_without_json(); }
std::string safetensors_header_text(const SafetensorsHeader&) { throw_without_json(); }

}  // namespace tandem::saving

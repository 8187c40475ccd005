#include "tandem/saving/safetensors_types.h"

#include <algorithm>
#include <array>

namespace tandem::saving {
namespace {

struct NamedType {
  std::string_view name;
  at::ScalarType type;
};

// In the order in which the format's own library writes them.
constexpr std::array<NamedType, 10> kTypes{{{"I64", at::kLong},
                                            {"F64", at::kDouble},
                                            {"F32", at::kFloat},
                                            {"I32", at::kInt},
                                            {"BF16", at::kBFloat16},
                                            {"F16", at::kHalf},
                                            {"I16", at::kShort},
                                            {"I8", at::kChar},
                                            {"U8", at::kByte},
                                            {"BOOL", at::kBool}}};

}  // namespace

std::optional<at::ScalarType> safetensors_type(std::string_view name) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const NamedType& t) { return t.name == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

int safetensors_rank(at::ScalarType type) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const NamedType& t) { return t.type == type; });
  return static_cast<int>(found - kTypes.begin());
}

std::string safetensors_name(at::ScalarType type) {
  const auto rank = static_cast<std::size_t>(safetensors_rank(type));
  return rank == kTypes.size() ? std::string() : std::string(kTypes[rank].name);
}

std::string safetensors_type_names() {
  std::string names;
  for (const auto& type : kTypes) names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

}  // namespace tandem::saving

#pragma once
#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

namespace tandem::saving {

/// The type that a safetensors file calls so ("F32"); none for one that Tandem does not read.
std::optional<at::ScalarType> safetensors_type(std::string_view name);
/// The name of a type; empty for one that Tandem does not write.
std::string safetensors_name(at::ScalarType type);
/// Files list their tensors by type, then by name: the place of a type among those that are written, widest first.
int safetensors_rank(at::ScalarType type);
/// "F32, F16, ...": all that are read and written.
std::string safetensors_type_names();

}  // namespace tandem::saving

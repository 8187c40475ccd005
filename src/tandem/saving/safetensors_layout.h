#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/saving/safetensors_header.h"

namespace tandem::saving {

/// Bytes of a tensor of this type and shape. Throws DataError, beginning with `where`, when they cannot be counted.
uint64_t safetensors_bytes(const SafetensorsEntry& tensor, const std::string& where);

/// Sorts the tensors by their bytes. Throws DataError, beginning with `where`, unless their names differ and their
/// bytes fill the `value_bytes` of the file one after the other, each tensor with as many as its type and shape need.
void check_safetensors_layout(std::vector<SafetensorsEntry>& tensors, uint64_t value_bytes, const std::string& where);

}  // namespace tandem::saving

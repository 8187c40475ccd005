#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/tensor.h"
#include "tandem/data/read_bytes.h"

namespace tandem::data {

/// Reads a whole array of `bytes` bytes, header included, into a new tensor in C order and this machine's byte order.
Tensor read_npy(const ReadBytes& read, int64_t bytes, const std::string& where);

}  // namespace tandem::data

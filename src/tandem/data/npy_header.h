#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/data/read_bytes.h"

namespace tandem::data {

/// What the header of a .npy array says (NumPy's format, NEP 1, versions 1 to 3).
struct NpyHeader {
  at::ScalarType type = at::ScalarType::Float;
  std::vector<int64_t> shape;
  bool fortran_order = false;
  bool swapped = false;    // the other byte order than this machine's
  int64_t data_begin = 0;  // bytes from the start of the file
  int64_t data_bytes = 0;
};

/// Reads the magic bytes and the header. Throws DataError, beginning with `where`, when they are not those of an array
/// that Tandem reads.
NpyHeader read_npy_header(const ReadBytes& read, const std::string& where);

/// Magic bytes and header of version 1 as NumPy writes them, for a contiguous array. Throws InvalidArgument for a type
/// that NumPy does not have.
std::string make_npy_header(at::ScalarType type, const std::vector<int64_t>& shape);

}  // namespace tandem::data

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/saving/h5_handle.h"

namespace tandem::saving {

/// The strings of an open attribute that is `count` strings of variable length. The HDF5 library keeps such strings in
/// heaps, and its own reading of them trusts what the file says: a damaged file would crash the program. So the library
/// only gives the references, and the heaps are read here. Call it within an H5Lock. Throws DataError when a heap is
/// damaged.
std::vector<std::string> read_variable_texts(const H5Node& node, int64_t attribute, std::size_t count);

}  // namespace tandem::saving

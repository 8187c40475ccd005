#pragma once
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

struct NpyOptions {
  bool memory_map = false;  // true: the file is not read now, rows come from the disk when they are used
};

/// The array in a .npy file as a CPU tensor of its shape and type: bool, int8 to int64, uint8, float16 to float64; both
/// byte orders, C and Fortran order, versions 1 to 3 of the format. With `memory_map` the tensor is a view of the file,
/// which must stay as it is while the tensor lives; what is written to the tensor does not reach the file. Arrays in
/// Fortran order, of the other byte order, or not aligned in the file cannot be viewed and are read in any case. Throws
/// DataError naming the file. As numpy.load.
Tensor load_npy(const std::string& path, const NpyOptions& options = {});

/// Writes a tensor as NumPy's save does, byte for byte: version 1, C order, this machine's byte order. The file appears
/// in one step. Throws InvalidArgument for a type that NumPy does not have, DataError when the file cannot be written.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace tandem

#pragma once
#include <ATen/core/Tensor.h>

#include <string>

namespace tandem::testing {

/// The array in a .npy file (NumPy's format 1 to 3, little endian, C order) as a CPU tensor of the same shape and type:
/// float32, float64, int32, int64, bool or uint8. Throws DataError naming the file when it is anything else, or cut
/// short.
at::Tensor load_npy(const std::string& path);

/// Path of a file under tests/fixtures: fixture("keras/layers/dense_relu/x.npy").
std::string fixture(const std::string& relative);

}  // namespace tandem::testing

#pragma once
#include <map>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

/// Names of the arrays in a .npz file, sorted.
std::vector<std::string> npz_names(const std::string& path);

/// Arrays of a .npz file (numpy.savez, numpy.savez_compressed) by name; without `names` all of them. They are read into
/// memory; load_npy says which types. Throws DataError naming the file and the array, or the arrays that there are when
/// one of `names` is not among them.
std::map<std::string, Tensor> load_npz(const std::string& path, const std::vector<std::string>& names = {});

}  // namespace tandem

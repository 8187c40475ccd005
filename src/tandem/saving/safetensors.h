#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Writes tensors under their names into a safetensors file, as safetensors.torch.save_file of Python: F32, F16, BF16,
/// F64, I64, I32, I16, I8, U8 and BOOL, each row-major. The same tensors make the same bytes, whatever their order; a
/// file at `path` is replaced in one step. Throws InvalidArgument, naming the tensor, on another type, on a name that
/// comes twice, is not UTF-8 or is "__metadata__", and in a build without nlohmann-json; DataError when it cannot be
/// written.
void save_safetensors(const NamedTensors& tensors, const std::string& path,
                      const std::map<std::string, std::string>& metadata = {});

struct SafetensorsContent {
  NamedTensors tensors;  // in the order of their bytes in the file
  std::map<std::string, std::string> metadata;
};

/// All of a safetensors file. Throws DataError, naming the file and the tensor, when it is missing, damaged, or made to
/// do harm: sizes and offsets are checked against the file's length before memory is taken.
SafetensorsContent load_safetensors(const std::string& path);

}  // namespace tandem

#include "tandem/saving/safetensors.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>
#include <tuple>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/saving/safetensors_file.h"
#include "tandem/saving/safetensors_layout.h"
#include "tandem/saving/safetensors_types.h"

namespace tandem {
namespace {

// As the format's own library sorts them: wide types first, so that each begins at a multiple of its size; then names.
NamedTensors in_file_order(NamedTensors tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const Tensor& t) { return saving::safetensors_rank(t.scalar_type()); };
    return std::make_tuple(rank(a.second), a.first) < std::make_tuple(rank(b.second), b.first);
  });
  return tensors;
}

void check_tensors(const NamedTensors& tensors) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    const auto fail = [&, &name = name](const std::string& what) {
      throw InvalidArgument(c10::str("save_safetensors: tensor '", name, "': ", what));
    };
    if (name == "__metadata__") fail("is a name that the format keeps for itself");
    if (!names.insert(name).second) fail("must be there once");
    if (!tensor.defined()) fail("must have values, is empty");
    if (saving::safetensors_name(tensor.scalar_type()).empty()) {
      fail(c10::str("its type must be one of ", saving::safetensors_type_names(), ", is ",
                    c10::toString(tensor.scalar_type())));
    }
  }
}

}  // namespace

void save_safetensors(const NamedTensors& tensors, const std::string& path,
                      const std::map<std::string, std::string>& metadata) {
  check_tensors(tensors);
  const NamedTensors ordered = in_file_order(tensors);
  saving::SafetensorsHeader header{.tensors = {}, .metadata = metadata};
  uint64_t reached = 0;
  for (const auto& [name, tensor] : ordered) {
    const uint64_t begin = reached;
    reached += tensor.nbytes();
    header.tensors.push_back({name, tensor.scalar_type(), Shape::of(tensor.sizes().vec()), begin, reached});
  }
  std::string text;
  try {
    text = saving::safetensors_header_text(header);
  } catch (const DataError& error) {
    throw InvalidArgument(c10::str("save_safetensors: names and metadata: ", error.what()));
  }
  const uint64_t length = text.size();
  if (length > saving::kLongestSafetensorsHeader)
    throw InvalidArgument(c10::str("save_safetensors: names and shapes must take at most ",
                                   saving::kLongestSafetensorsHeader, " bytes, take ", length));
  write_file_atomically(path, [&](const std::string& temporary) {
    errno = 0;
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(&length), sizeof(length));
    file << text;
    for (const auto& [name, tensor] : ordered) {
      const Tensor values = tensor.detach().cpu().contiguous();
      file.write(static_cast<const char*>(values.const_data_ptr()), static_cast<std::streamsize>(values.nbytes()));
    }
    file.close();
    if (!file) throw DataError(c10::str(path, ": cannot be written: ", std::generic_category().message(errno)));
  });
}

SafetensorsContent load_safetensors(const std::string& path) {
  saving::SafetensorsFile file(path);
  SafetensorsContent content{.tensors = {}, .metadata = file.metadata()};
  for (const auto& entry : file.tensors()) content.tensors.emplace_back(entry.name, file.read(entry));
  return content;
}

}  // namespace tandem

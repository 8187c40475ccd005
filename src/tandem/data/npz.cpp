#include "tandem/data/npz.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <string_view>

#include "tandem/core/error.h"
#include "tandem/core/zip_reader.h"
#include "tandem/data/read_npy.h"

namespace tandem {
namespace {

constexpr std::string_view kNpyEnding = ".npy";

std::vector<std::string> arrays_in(const ZipReader& zip) {
  std::vector<std::string> names;
  for (auto& member : zip.names()) {
    if (member.ends_with(kNpyEnding)) names.push_back(member.substr(0, member.size() - kNpyEnding.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> npz_names(const std::string& path) { return arrays_in(ZipReader(path)); }

std::map<std::string, Tensor> load_npz(const std::string& path, const std::vector<std::string>& names) {
  const ZipReader zip(path);
  std::map<std::string, Tensor> arrays;
  for (const auto& name : names.empty() ? arrays_in(zip) : names) {
    const std::string file = name + std::string(kNpyEnding);
    if (!zip.contains(file)) {
      std::string there;
      for (const auto& known : arrays_in(zip)) there += (there.empty() ? "" : ", ") + known;
      throw DataError(c10::str(path, ": has no array ", name, "; it has ", there.empty() ? "none" : there));
    }
    auto member = zip.open(file);
    arrays[name] = data::read_npy([&](void* to, std::size_t bytes) { return member.read(to, bytes); }, member.size(),
                                  path + ", array " + name);
  }
  return arrays;
}

}  // namespace tandem

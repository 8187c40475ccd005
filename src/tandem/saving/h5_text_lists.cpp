#include "tandem/saving/h5_text_lists.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::saving {
namespace {

constexpr std::size_t kHeaderBytes = 64512;  // Keras's HDF5_OBJECT_HEADER_LIMIT

}  // namespace

void write_text_list(const H5Group& group, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const auto& text : texts) width = std::max(width, text.size());
  if (width > kHeaderBytes)
    throw InvalidArgument(c10::str(group.where(), ": a name of ", width, " bytes is too long for an HDF5 file"));
  const std::size_t most = kHeaderBytes / width;  // strings in one attribute
  const std::size_t parts = std::max<std::size_t>((texts.size() + most - 1) / most, 1);
  if (parts == 1) return group.set_texts(name, texts);
  auto next = texts.begin();
  for (std::size_t i = 0; i < parts; ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(texts.size() / parts + (i < texts.size() % parts ? 1 : 0));
    group.set_texts(c10::str(name, i), std::vector<std::string>(next, end));
    next = end;
  }
}

bool has_text_list(const H5Group& group, const std::string& name) {
  return group.has_attribute(name) || group.has_attribute(name + "0");
}

std::vector<std::string> read_text_list(const H5Group& group, const std::string& name) {
  if (group.has_attribute(name)) return group.texts(name);
  std::vector<std::string> all;
  for (int part = 0; group.has_attribute(c10::str(name, part)); ++part) {
    const auto some = group.texts(c10::str(name, part));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace tandem::saving

#include <c10/util/StringUtil.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "tandem/core/error.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/h5_handle.h"
#include "tandem/saving/h5_variable_text.h"

namespace tandem::saving {
namespace {

// More than any list of names needs.
constexpr uint64_t kMaxAttributeBytes = uint64_t{64} << 20;

H5Handle text_type(std::size_t size, H5T_cset_t set, H5T_str_t padding) {
  H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), size);
  H5Tset_cset(type.id(), set);
  H5Tset_strpad(type.id(), padding);
  return type;
}

std::vector<std::string> read_fixed(const H5Node& node, const std::string& name, hid_t attribute, hid_t type,
                                    std::size_t count) {
  const std::size_t size = H5Tget_size(type);
  const H5T_str_t padding = H5Tget_strpad(type);
  const H5Handle memory = text_type(size, H5Tget_cset(type), padding);
  std::vector<char> bytes(count * size);
  node.check(H5Aread(attribute, memory.id(), bytes.data()) >= 0, "", c10::str("attribute ", name, " cannot be read"));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const char* text = bytes.data() + i * size;
    std::string one(text, strnlen(text, size));
    while (padding == H5T_STR_SPACEPAD && one.ends_with(' ')) one.pop_back();
    texts.push_back(std::move(one));
  }
  return texts;
}

void write_attribute(const H5Node& node, const std::string& name, const H5Handle& type, const H5Handle& space,
                     const void* data) {
  const H5Handle attribute(H5Acreate2(node.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
  node.check(attribute.valid() && H5Awrite(attribute.id(), type.id(), data) >= 0, "",
             c10::str("attribute ", name, " cannot be written"));
}

}  // namespace

bool H5Group::has_attribute(const std::string& name) const {
  const H5Lock lock;
  return H5Aexists(node_->id(), name.c_str()) > 0;
}

std::vector<std::string> H5Group::texts(const std::string& name) const {
  const H5Lock lock;
  const H5Handle attribute(H5Aopen(node_->id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  node_->check(attribute.valid(), "", c10::str("there must be an attribute ", name));
  const H5Handle space(H5Aget_space(attribute.id()), H5Sclose), type(H5Aget_type(attribute.id()), H5Tclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  node_->check(count >= 0 && type.valid(), "", c10::str("attribute ", name, " cannot be read"));
  if (count == 0) return {};
  if (H5Tget_class(type.id()) != H5T_STRING)
    throw DataError(c10::str(node_->where(), ": attribute ", name, " must hold text"));
  if (static_cast<uint64_t>(count) > kMaxAttributeBytes / std::max<std::size_t>(H5Tget_size(type.id()), 1))
    throw DataError(c10::str(node_->where(), ": attribute ", name, " is larger than any list of names"));
  if (H5Tis_variable_str(type.id()) > 0)
    return read_variable_texts(*node_, attribute.id(), static_cast<std::size_t>(count));
  return read_fixed(*node_, name, attribute.id(), type.id(), static_cast<std::size_t>(count));
}

void H5Group::set_text(const std::string& name, const std::string& text) const {
  const H5Lock lock;
  const H5Handle type = text_type(H5T_VARIABLE, H5T_CSET_UTF8, H5T_STR_NULLTERM);
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const char* pointer = text.c_str();
  write_attribute(*node_, name, type, space, &pointer);
}

void H5Group::set_texts(const std::string& name, const std::vector<std::string>& texts) const {
  const H5Lock lock;
  std::size_t size = 1;
  for (const auto& text : texts) size = std::max(size, text.size());
  std::vector<char> bytes(std::max<std::size_t>(texts.size(), 1) * size);
  for (std::size_t i = 0; i < texts.size(); ++i) std::copy(texts[i].begin(), texts[i].end(), bytes.begin() + i * size);
  const H5Handle type = text_type(size, H5T_CSET_ASCII, H5T_STR_NULLPAD);
  const hsize_t count = texts.size();
  const H5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  write_attribute(*node_, name, type, space, bytes.data());
}

}  // namespace tandem::saving

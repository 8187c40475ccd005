#include "tandem/saving/h5_handle.h"

#include <c10/util/StringUtil.h>
#include <hdf5.h>

#include <type_traits>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::saving {
namespace {

static_assert(std::is_same_v<hid_t, int64_t> && std::is_same_v<herr_t, int>);

// Never destroyed: handles may be closed while the program ends.
std::recursive_mutex& library_mutex() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

}  // namespace

H5Lock::H5Lock() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

H5Lock::~H5Lock() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }

H5Handle::~H5Handle() {
  if (id_ < 0) return;
  const H5Lock lock;
  close_(id_);
}

std::string H5Node::where(const std::string& relative) const {
  std::string full = path;
  if (!full.empty() && !relative.empty()) full += '/';
  full += relative;
  return full.empty() ? file->name : c10::str(file->name, ": ", full);
}

void H5Node::check(bool ok, const std::string& relative, const std::string& what) const {
  if (!ok) throw DataError(c10::str(where(relative), ": ", what, h5_error()));
}

std::shared_ptr<const H5Node> open_h5_node(const H5Node& from, const std::string& path) {
  if (path.empty() || c10::str("/", path, "/").find("//") != std::string::npos)
    throw DataError(c10::str(from.where(path), ": is no path in an HDF5 file"));
  std::shared_ptr<const H5Node> last;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const H5Node& parent = last ? *last : from;
    if (last && !is_h5_group(*last)) return nullptr;
    if (H5Lexists(parent.id(), part.c_str(), H5P_DEFAULT) <= 0) return nullptr;
    H5L_info_t link;
    parent.check(H5Lget_info(parent.id(), part.c_str(), &link, H5P_DEFAULT) >= 0, part, "cannot be read");
    if (link.type != H5L_TYPE_HARD)
      throw DataError(c10::str(parent.where(part), ": is a link to elsewhere, which is not followed"));
    H5Handle handle(H5Oopen(parent.id(), part.c_str(), H5P_DEFAULT), H5Oclose);
    parent.check(handle.valid(), part, "cannot be read");
    last = std::make_shared<const H5Node>(
        H5Node{from.file, parent.path.empty() ? part : c10::str(parent.path, "/", part), std::move(handle)});
    begin = end + 1;
  }
  return last;
}

bool is_h5_group(const H5Node& node) { return H5Iget_type(node.id()) == H5I_GROUP; }

std::string h5_error() {
  std::string said;
  // From where the error was found outward: the first description is the nearest to the cause.
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
        auto& text = *static_cast<std::string*>(to);
        if (text.empty() && error->desc) text = c10::str(": ", error->desc);
        return 0;
      },
      &said);
  return said;
}

}  // namespace tandem::saving

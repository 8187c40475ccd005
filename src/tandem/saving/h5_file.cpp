#include "tandem/saving/h5_file.h"

#include <c10/util/StringUtil.h>
#include <hdf5.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/saving/h5_handle.h"

namespace tandem::saving {
namespace {

constexpr std::size_t kImageGrowth = std::size_t{1} << 20;  // bytes by which a file in memory grows

[[noreturn]] void throw_cannot_open(const std::string& name) {
  throw DataError(c10::str(name, ": cannot be opened as an HDF5 file", h5_error()));
}

H5Handle new_properties(int64_t kind) { return {H5Pcreate(kind), H5Pclose}; }

}  // namespace

H5File H5File::of(int64_t id, const std::string& name) {
  auto file = std::make_shared<const H5OpenFile>(H5OpenFile{H5Handle(id, H5Fclose), name});
  if (!file->handle.valid()) throw_cannot_open(name);
  H5Handle root(H5Gopen2(id, "/", H5P_DEFAULT), H5Gclose);
  if (!root.valid()) throw_cannot_open(name);
  return H5File(H5Group(std::make_shared<const H5Node>(H5Node{std::move(file), "", std::move(root)})));
}

H5File H5File::create(const std::string& path, const std::string& name) {
  const H5Lock lock;
  const H5Handle creation = new_properties(H5P_FILE_CREATE);
  H5Pset_obj_track_times(creation.id(), false);
  return of(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), H5P_DEFAULT), name);
}

H5File H5File::create_image(const std::string& name) {
  const H5Lock lock;
  const H5Handle creation = new_properties(H5P_FILE_CREATE), access = new_properties(H5P_FILE_ACCESS);
  H5Pset_obj_track_times(creation.id(), false);
  H5Pset_fapl_core(access.id(), kImageGrowth, /*backing_store=*/false);
  return of(H5Fcreate((name + "/image").c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), name);
}

H5File H5File::open(const std::string& path) {
  const H5Lock lock;
  const H5Handle access = new_properties(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
  // Files are replaced, never changed, so that no lock is needed; some file systems have none.
  H5Pset_file_locking(access.id(), false, true);
#endif
  return of(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), path);
}

H5File H5File::open_image(std::string_view bytes, const std::string& name) {
  const H5Lock lock;
  const H5Handle access = new_properties(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access.id(), kImageGrowth, /*backing_store=*/false);
  // The library takes a copy; the parameter is not const only because it could be told not to.
  if (bytes.empty() || H5Pset_file_image(access.id(), const_cast<char*>(bytes.data()), bytes.size()) < 0)
    throw_cannot_open(name);
  // A path below a file is none: the library refuses an image that is called like a file on the disk.
  return of(H5Fopen((name + "/image").c_str(), H5F_ACC_RDONLY, access.id()), name);
}

void H5File::close() {
  const H5Lock lock;
  const auto node = root_.node_;
  node->check(H5Fflush(node->file->handle.id(), H5F_SCOPE_GLOBAL) >= 0, "", "cannot be written");
  root_ = H5Group(nullptr);
}

std::string H5File::take_image() {
  const H5Lock lock;
  const auto node = root_.node_;
  const int64_t id = node->file->handle.id();
  node->check(H5Fflush(id, H5F_SCOPE_GLOBAL) >= 0, "", "cannot be written");
  const ssize_t size = H5Fget_file_image(id, nullptr, 0);
  node->check(size > 0, "", "cannot be written");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  node->check(H5Fget_file_image(id, bytes.data(), bytes.size()) == size, "", "cannot be written");
  root_ = H5Group(nullptr);
  return bytes;
}

std::string H5Group::where() const { return node_->where(); }

std::vector<std::string> H5Group::names() const {
  const H5Lock lock;
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  node_->check(H5Literate(node_->id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names) >= 0, "", "cannot be read");
  std::sort(names.begin(), names.end());
  return names;
}

bool H5Group::has_group(const std::string& path) const {
  const H5Lock lock;
  const auto node = open_h5_node(*node_, path);
  return node && is_h5_group(*node);
}

H5Group H5Group::group(const std::string& path) const {
  const H5Lock lock;
  auto node = open_h5_node(*node_, path);
  if (!node || !is_h5_group(*node)) throw DataError(c10::str(node_->where(path), ": there must be a group"));
  return H5Group(std::move(node));
}

H5Group H5Group::create_group(const std::string& path) const {
  const H5Lock lock;
  const auto cut = path.rfind('/');
  if (cut != std::string::npos) return create_group(path.substr(0, cut)).create_group(path.substr(cut + 1));
  if (auto there = open_h5_node(*node_, path)) {
    if (!is_h5_group(*there)) throw DataError(c10::str(there->where(), ": is there and no group"));
    return H5Group(std::move(there));
  }
  const H5Handle creation = new_properties(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(creation.id(), false);
  H5Handle made(H5Gcreate2(node_->id(), path.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Gclose);
  node_->check(made.valid(), path, "cannot be written");
  return H5Group(std::make_shared<const H5Node>(
      H5Node{node_->file, node_->path.empty() ? path : c10::str(node_->path, "/", path), std::move(made)}));
}

}  // namespace tandem::saving

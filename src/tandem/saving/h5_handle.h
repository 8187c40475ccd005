#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace tandem::saving {

/// Held while the HDF5 library is called: one thread at a time, and the library does not print its errors.
class H5Lock {
 public:
  H5Lock();
  ~H5Lock();
  H5Lock(const H5Lock&) = delete;
  H5Lock& operator=(const H5Lock&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  int (*printer_)(int64_t, void*) = nullptr;  // what the program had, put back at the end
  void* printer_data_ = nullptr;
};

/// An id of the HDF5 library (hid_t) and how it is closed.
class H5Handle {
 public:
  using Close = int (*)(int64_t);

  H5Handle(int64_t id, Close close) : id_(id), close_(close) {}
  ~H5Handle();
  H5Handle(H5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  H5Handle& operator=(H5Handle&&) = delete;

  int64_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  int64_t id_;
  Close close_;
};

/// An open file and the name that messages give it.
struct H5OpenFile {
  H5Handle handle;
  std::string name;
};

/// An open group or data set. Members are closed from the last to the first: the file after what is in it.
struct H5Node {
  std::shared_ptr<const H5OpenFile> file;
  std::string path;  // "layers/dense"; empty for the root
  H5Handle handle;

  /// "f.weights.h5: layers/dense/vars" for a path relative to this group.
  std::string where(const std::string& relative = {}) const;
  /// Throws DataError "<where>: <what>: <what the HDF5 library says>" unless `ok`.
  void check(bool ok, const std::string& relative, const std::string& what) const;
  int64_t id() const { return handle.id(); }
};

/// Opens the group or data set at a path of hard links; null when there is none. Call it within an H5Lock.
std::shared_ptr<const H5Node> open_h5_node(const H5Node& from, const std::string& path);
bool is_h5_group(const H5Node& node);
/// What the HDF5 library says about its last error, in a few words.
std::string h5_error();

}  // namespace tandem::saving

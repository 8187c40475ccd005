#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"

namespace tandem::saving {

struct H5Node;

/// A group of an HDF5 file, with its attributes and data sets. Paths are relative to the group and may have several
/// parts, "layers/dense/vars". Copies are the same group; a group keeps its file open. Everything that goes wrong is a
/// DataError that names the file and the path in it. Links that lead elsewhere (soft, external), data in other files
/// (external, virtual) and sizes that the file cannot hold are refused.
class H5Group {
 public:
  explicit H5Group(std::shared_ptr<const H5Node> node) : node_(std::move(node)) {}

  /// The file's name and, where it is not the root, this group's path: for messages.
  std::string where() const;
  /// Names of the groups and data sets in this group, sorted.
  std::vector<std::string> names() const;
  bool has_group(const std::string& path) const;
  H5Group group(const std::string& path) const;
  /// Makes what is missing of the path.
  H5Group create_group(const std::string& path) const;

  Shape dataset_shape(const std::string& path) const;
  /// The values of a data set that must have this shape, which is checked before memory is taken. Floats of up to 32
  /// bits (float16 and bfloat16 too) come as float32, larger ones as float64, whole numbers as int64.
  Tensor read(const std::string& path, const Shape& wanted) const;
  /// A new data set of the tensor's type and shape; float16 to float64, whole numbers; row-major.
  void write(const std::string& path, const Tensor& values) const;

  bool has_attribute(const std::string& name) const;
  /// Strings of an attribute that is a string or a list of strings of fixed or variable length; an empty list of any
  /// type has none.
  std::vector<std::string> texts(const std::string& name) const;
  /// One UTF-8 string of variable length, as h5py writes a str.
  void set_text(const std::string& name, const std::string& text) const;
  /// A list of strings of one length, padded with zeros, as NumPy's type S.
  void set_texts(const std::string& name, const std::vector<std::string>& texts) const;

 private:
  friend class H5File;
  std::shared_ptr<const H5Node> node_;
};

/// An HDF5 file. Files hold no times, so that the same writes make the same bytes. May be used from any thread: one at
/// a time enters the HDF5 library.
class H5File {
 public:
  /// A new file at `path`, replacing what is there. Messages call it `name`.
  static H5File create(const std::string& path, const std::string& name);
  /// A new file in memory, to be taken by take_image. Messages call it `name`.
  static H5File create_image(const std::string& name);
  /// For reading. No lock is taken.
  static H5File open(const std::string& path);
  /// The content of a file, in memory, for reading. `bytes` is copied. Messages call it `name`.
  static H5File open_image(std::string_view bytes, const std::string& name);

  const H5Group& root() const { return root_; }
  /// Writes what is not yet on its way and closes the file; groups of it must not be used any more. Without it a file
  /// is closed silently when the last group goes.
  void close();
  /// The bytes of a file made by create_image; it and its groups must not be used any more.
  std::string take_image();

 private:
  explicit H5File(H5Group root) : root_(std::move(root)) {}
  static H5File of(int64_t id, const std::string& name);
  H5Group root_;
};

}  // namespace tandem::saving

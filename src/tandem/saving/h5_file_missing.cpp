// In place of h5_attribute.cpp, h5_dataset.cpp, h5_file.cpp, h5_handle.cpp and h5_variable_text.cpp where the HDF5
// library is missing.
#include "tandem/core/error.h"
#include "tandem/saving/h5_file.h"

namespace tandem::saving {
namespace {

[[noreturn]] void throw_without_h5() {
  throw InvalidArgument("HDF5 files (.h5, .keras) cannot be read or written: Tandem was built without HDF5");
}

}  // namespace

H5File H5File::of(int64_t, const std::string&) { throw_without_h5(); }
H5File H5File::create(const std::string&, const std::string&) { throw_without_h5(); }
H5File H5File::create_image(const std::string&) { throw_without_h5(); }
H5File H5File::open(const std::string&) { throw_without_h5(); }
H5File H5File::open_image(std::string_view, const std::string&) { throw_without_h5(); }
void H5File::close() { throw_without_h5(); }
std::string H5File::take_image() { throw_without_h5(); }

std::string H5Group::where() const { throw_without_h5(); }
std::vector<std::string> H5Group::names() const { throw_without_h5(); }
bool H5Group::has_group(const std::string&) const { throw_without_h5(); }
H5Group H5Group::group(const std::string&) const { throw_without_h5(); }
H5Group H5Group::create_group(const std::string&) const { throw_without_h5(); }
Shape H5Group::dataset_shape(const std::string&) const { throw_without_h5(); }
Tensor H5Group::read(const std::string&, const Shape&) const { throw_without_h5(); }
void H5Group::write(const std::string&, const Tensor&) const { throw_without_h5(); }
bool H5Group::has_attribute(const std::string&) const { throw_without_h5(); }
std::vector<std::string> H5Group::texts(const std::string&) const { throw_without_h5(); }
void H5Group::set_text(const std::string&, const std::string&) const { throw_without_h5(); }
void H5Group::set_texts(const std::string&, const std::vector<std::string>&) const { throw_without_h5(); }

}  // namespace tandem::saving

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <hdf5.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/h5_handle.h"

namespace tandem::saving {
namespace {

// A chunk is read as a whole. It may be larger than its data set (which may grow), but not without bound.
constexpr uint64_t kFreeChunkBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxChunkGrowth = 16;
// Deflate makes at most so many bytes of one.
constexpr uint64_t kMostGrowth = 1032;

H5Handle float16_type() {
  H5Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tset_fields(type.id(), /*sign=*/15, /*exponent=*/10, /*bits=*/5, /*mantissa=*/0, /*bits=*/10);
  H5Tset_size(type.id(), 2);
  H5Tset_ebias(type.id(), 15);
  return type;
}

// How a tensor's elements lie in a file.
H5Handle file_type(at::ScalarType type) {
  const auto copy = [](hid_t of) { return H5Handle(H5Tcopy(of), H5Tclose); };
  switch (type) {
    case at::kHalf:
      return float16_type();
    case at::kFloat:
      return copy(H5T_IEEE_F32LE);
    case at::kDouble:
      return copy(H5T_IEEE_F64LE);
    case at::kByte:
      return copy(H5T_STD_U8LE);
    case at::kChar:
      return copy(H5T_STD_I8LE);
    case at::kShort:
      return copy(H5T_STD_I16LE);
    case at::kInt:
      return copy(H5T_STD_I32LE);
    case at::kLong:
      return copy(H5T_STD_I64LE);
    default:
      throw InvalidArgument(
          c10::str("HDF5: a data set must be float16, float32, float64 or whole numbers, got ", type));
  }
}

// h5py has no type for bfloat16: Keras writes opaque pairs of bytes and says so in an attribute.
bool is_bfloat16(const std::shared_ptr<const H5Node>& dataset, hid_t type) {
  if (H5Tget_class(type) != H5T_OPAQUE || H5Tget_size(type) != 2) return false;
  const H5Group about(dataset);
  return about.has_attribute("dtype") && about.texts("dtype") == std::vector<std::string>{"bfloat16"};
}

Shape shape_of(const H5Node& dataset) {
  const H5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const auto kind = H5Sget_simple_extent_type(space.id());
  if (kind == H5S_SCALAR) return {};
  const int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_ndims(space.id()) : -1;
  dataset.check(rank >= 0, "", "has no shape");
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  for (const hsize_t size : sizes) {
    if (size > static_cast<hsize_t>(INT64_MAX)) throw DataError(c10::str(dataset.where(), ": has an impossible shape"));
  }
  return Shape::of(std::vector<int64_t>(sizes.begin(), sizes.end()));
}

std::shared_ptr<const H5Node> open_dataset(const H5Node& from, const std::string& path) {
  auto node = open_h5_node(from, path);
  if (!node || H5Iget_type(node->id()) != H5I_DATASET)
    throw DataError(c10::str(from.where(path), ": there must be a data set"));
  return node;
}

// The values must lie in this file, and what is read to get at them must be bounded by their own size.
void check_storage(const H5Node& dataset, const Shape& shape, hid_t type) {
  const H5Handle creation(H5Dget_create_plist(dataset.id()), H5Pclose);
  dataset.check(creation.valid(), "", "cannot be read");
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0)
    throw DataError(c10::str(dataset.where(), ": keeps its values in another file, which is not read"));
  uint64_t bytes = H5Tget_size(type);
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes) || bytes > static_cast<uint64_t>(INT64_MAX))
      throw DataError(c10::str(dataset.where(), ": has an impossible shape, ", shape));
  }
  if (layout == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(static_cast<std::size_t>(std::max<int64_t>(shape.rank(), 1)));
    dataset.check(H5Pget_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()) == shape.rank(), "",
                  "has impossible chunks");
    double chunk_bytes = static_cast<double>(H5Tget_size(type));
    for (const hsize_t size : chunk) chunk_bytes *= static_cast<double>(size);
    if (chunk_bytes >
        static_cast<double>(kFreeChunkBytes) + static_cast<double>(kMaxChunkGrowth) * static_cast<double>(bytes))
      throw DataError(c10::str(dataset.where(), ": has chunks far larger than itself"));
    const uint64_t stored = H5Dget_storage_size(dataset.id());
    if (bytes > kFreeChunkBytes && bytes / kMostGrowth > stored)
      throw DataError(
          c10::str(dataset.where(), ": declares ", bytes, " bytes of values, which its ", stored, " cannot hold"));
  } else if (H5Dget_storage_size(dataset.id()) < bytes) {
    throw DataError(c10::str(dataset.where(), ": must hold ", bytes, " bytes of values, holds ",
                             static_cast<uint64_t>(H5Dget_storage_size(dataset.id()))));
  }
}

}  // namespace

Shape H5Group::dataset_shape(const std::string& path) const {
  const H5Lock lock;
  return shape_of(*open_dataset(*node_, path));
}

Tensor H5Group::read(const std::string& path, const Shape& wanted) const {
  const H5Lock lock;
  const auto dataset = open_dataset(*node_, path);
  const Shape found = shape_of(*dataset);
  if (found != wanted) throw DataError(c10::str(dataset->where(), ": must have shape ", wanted, ", has ", found));
  const H5Handle type(H5Dget_type(dataset->id()), H5Tclose);
  dataset->check(type.valid(), "", "has an unknown type");
  check_storage(*dataset, wanted, type.id());

  const bool bfloat16 = is_bfloat16(dataset, type.id());
  const H5T_class_t kind = H5Tget_class(type.id());
  if (!bfloat16 && kind != H5T_FLOAT && kind != H5T_INTEGER)
    throw DataError(c10::str(dataset->where(), ": must hold numbers"));
  const bool wide = kind == H5T_FLOAT && H5Tget_size(type.id()) > 4;
  const at::ScalarType as = bfloat16              ? at::kBFloat16
                            : kind == H5T_INTEGER ? at::kLong
                            : wide                ? at::kDouble
                                                  : at::kFloat;
  Tensor values = at::empty(wanted.sizes(), as);
  const hid_t memory = bfloat16              ? type.id()
                       : kind == H5T_INTEGER ? H5T_NATIVE_INT64
                       : wide                ? H5T_NATIVE_DOUBLE
                                             : H5T_NATIVE_FLOAT;
  dataset->check(H5Dread(dataset->id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data_ptr()) >= 0, "",
                 "cannot be read");
  return bfloat16 ? values.to(at::kFloat) : values;
}

void H5Group::write(const std::string& path, const Tensor& values) const {
  const H5Lock lock;
  const auto cut = path.rfind('/');
  if (cut != std::string::npos) return create_group(path.substr(0, cut)).write(path.substr(cut + 1), values);
  const Tensor rows = values.detach().to(at::kCPU).contiguous();
  const std::vector<hsize_t> sizes(rows.sizes().begin(), rows.sizes().end());
  const H5Handle space(
      sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
      H5Sclose);
  const H5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation.id(), false);
  const H5Handle type = file_type(rows.scalar_type());
  const H5Handle dataset(
      H5Dcreate2(node_->id(), path.c_str(), type.id(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  node_->check(dataset.valid(), path, "cannot be written");
  node_->check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.const_data_ptr()) >= 0, path,
               "cannot be written");
}

}  // namespace tandem::saving

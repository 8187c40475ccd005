#include "tandem/data/read_npy.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/data/npy_header.h"

namespace tandem::data {
namespace {

// Turns the bytes of every element round.
void swap_bytes(Tensor& tensor) {
  const std::size_t element = tensor.element_size();
  auto* at = static_cast<char*>(tensor.mutable_data_ptr());
  for (const char* end = at + tensor.nbytes(); at < end; at += element) std::reverse(at, at + element);
}

}  // namespace

Tensor read_npy(const ReadBytes& read, int64_t bytes, const std::string& where) {
  const NpyHeader header = read_npy_header(read, where);
  if (bytes - header.data_begin != header.data_bytes) {
    throw DataError(c10::str(where, ": must hold ", header.data_bytes, " bytes of data for its shape ",
                             Shape::of(header.shape), ", holds ", bytes - header.data_begin));
  }
  auto shape = header.shape;
  if (header.fortran_order) std::reverse(shape.begin(), shape.end());
  Tensor tensor = at::empty(shape, header.type);
  if (read(tensor.mutable_data_ptr(), tensor.nbytes()) < tensor.nbytes())
    throw DataError(c10::str(where, ": ends within its ", header.data_bytes, " bytes of data"));
  if (header.swapped) swap_bytes(tensor);
  if (header.fortran_order && tensor.dim() > 1) {
    std::vector<int64_t> axes(shape.size());
    std::iota(axes.rbegin(), axes.rend(), int64_t{0});
    tensor = tensor.permute(axes).contiguous();
  }
  return tensor;
}

}  // namespace tandem::data

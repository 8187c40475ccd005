#include "tandem/data/tensor_source.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cstring>
#include <string>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::data {
namespace {

// `rows` is -1 for the first tensor, whose row count the others must have.
Tensor checked(const Tensor& tensor, const std::string& name, int64_t rows) {
  if (!tensor.defined()) throw InvalidArgument(c10::str("data set: ", name, " is an undefined tensor"));
  if (tensor.dim() == 0)
    throw InvalidArgument(c10::str("data set: ", name, " must have its rows on the first axis, got a scalar"));
  if (!tensor.device().is_cpu()) {
    throw InvalidArgument(
        c10::str("data set: ", name, " must be on the CPU, got ", tensor.device(), "; call .cpu() first"));
  }
  if (rows >= 0 && tensor.size(0) != rows) {
    throw InvalidArgument(
        c10::str("data set: all tensors must have the rows of x[0], ", rows, "; ", name, " has ", tensor.size(0)));
  }
  return tensor.detach().contiguous();
}

Tensor gather(const Tensor& from, std::span<const int64_t> rows) {
  auto sizes = from.sizes().vec();
  sizes[0] = static_cast<int64_t>(rows.size());
  Tensor to = at::empty(sizes, from.options());
  const std::size_t row_bytes = static_cast<std::size_t>(from.numel() / from.size(0)) * from.element_size();
  if (row_bytes == 0) return to;
  const auto* source = static_cast<const char*>(from.const_data_ptr());
  auto* out = static_cast<char*>(to.mutable_data_ptr());
  for (const int64_t row : rows) {
    std::memcpy(out, source + static_cast<std::size_t>(row) * row_bytes, row_bytes);
    out += row_bytes;
  }
  return to;
}

}  // namespace

TensorSource::TensorSource(Batch tensors) : tensors_(std::move(tensors)) {
  if (tensors_.x.empty()) throw InvalidArgument("data set: x must hold at least one tensor");
  int64_t rows = -1;
  for (int64_t i = 0; i < tensors_.x.size(); ++i) {
    tensors_.x[i] = checked(tensors_.x[i], c10::str("x[", i, "]"), rows);
    rows = tensors_.x[0].size(0);
  }
  for (int64_t i = 0; i < tensors_.y.size(); ++i) tensors_.y[i] = checked(tensors_.y[i], c10::str("y[", i, "]"), rows);
  if (!tensors_.weighted()) tensors_.weights = {};
  const auto& weights = tensors_.weights;
  if (weights.size() > 1 && weights.size() != tensors_.y.size()) {
    throw InvalidArgument(c10::str("data set: weights must be one tensor, or one for each of ", tensors_.y.size(),
                                   " targets, got ", weights.size()));
  }
  for (int64_t i = 0; i < weights.size(); ++i) {
    const auto name = weights.size() == 1 ? std::string("weights") : c10::str("weights[", i, "]");
    if (weights[i].defined()) tensors_.weights[i] = checked(weights[i], name, rows).to(at::kFloat);
  }
  if (rows == 0)
    throw DataError(c10::str("data set: it must have at least one row, got x[0] of shape ",
                             Shape::of(tensors_.x[0].sizes().vec())));
}

Batch TensorSource::get(std::span<const int64_t> rows) const {
  for (const int64_t row : rows) {
    if (row < 0 || row >= size())
      throw DataError(c10::str("data set: row ", row, " does not exist, it has ", size(), " rows"));
  }
  return tensors_.each([&](const Tensor& one) { return gather(one, rows); });
}

}  // namespace tandem::data

#include "tandem/distribution/stage_link.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <array>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kMostAxes = 8;
constexpr int64_t kNothing = -1;  // in place of a type

// What goes before each value: type, whether it has a gradient, axes of its mask (-1: none), axes, sizes.
using Header = std::array<int64_t, 4 + kMostAxes>;

Tensor as_tensor(Header& header) {
  return at::from_blob(header.data(), {static_cast<int64_t>(header.size())}, at::kLong);
}

// With the strides that the receiver's has, also along axes of one element.
Tensor row_by_row(const Tensor& x) { return x.detach().reshape({-1}).view(x.sizes()); }

}  // namespace

// Three messages at most, each with a tag of its own: header, value, mask.
void StageLink::send(const Tensor& value, int64_t to, int64_t tag) {
  const c10::NoGradGuard no_grad;
  Header header{};
  header[0] = value.defined() ? static_cast<int64_t>(value.scalar_type()) : kNothing;
  const Tensor mask = value.defined() ? mask_of(value) : Tensor();
  if (value.defined()) {
    if (value.dim() > kMostAxes)
      throw InvalidArgument(
          c10::str("pipeline: values between stages must have at most ", kMostAxes, " axes, got ", value.dim()));
    header[1] = value.requires_grad();
    header[2] = mask.defined() ? mask.dim() : -1;
    header[3] = value.dim();
    for (int64_t i = 0; i < value.dim(); ++i) header[static_cast<std::size_t>(4 + i)] = value.size(i);
  }
  communicator_.send(as_tensor(header), to, 3 * tag);
  if (!value.defined()) return;
  communicator_.send(row_by_row(value), to, 3 * tag + 1);
  if (mask.defined()) communicator_.send(row_by_row(mask), to, 3 * tag + 2);
}

StageLink::Value StageLink::receive(int64_t from, int64_t tag) {
  const c10::NoGradGuard no_grad;
  Header header{};
  Tensor about = as_tensor(header);
  communicator_.recv(about, from, 3 * tag);
  if (header[0] == kNothing) return {};
  const auto sizes = at::IntArrayRef(header.data() + 4, static_cast<std::size_t>(header[3]));
  Value value{at::empty(sizes, static_cast<at::ScalarType>(header[0])), header[1] != 0};
  communicator_.recv(value.tensor, from, 3 * tag + 1);
  if (header[2] >= 0) {
    Tensor mask = at::empty(sizes.slice(0, static_cast<std::size_t>(header[2])), at::kBool);
    communicator_.recv(mask, from, 3 * tag + 2);
    set_mask(value.tensor, mask);
  }
  return value;
}

}  // namespace tandem::distribute

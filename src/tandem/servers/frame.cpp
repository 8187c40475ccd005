#include "tandem/servers/frame.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <cstring>

namespace tandem::servers {

Frame Frame::of(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {owner->data(), owner->size(), owner};
}

Frame Frame::of(const Tensor& values) {
  auto owner = std::make_shared<const Tensor>(values);
  return {values.const_data_ptr(), static_cast<std::size_t>(values.nbytes()), owner};
}

Tensor Frame::floats() const {
  const auto n = static_cast<int64_t>(size_ / sizeof(float));
  if (n == 0) return at::empty({0}, at::kFloat);
  if (reinterpret_cast<std::uintptr_t>(data_) % alignof(float) != 0) {
    Tensor copy = at::empty({n}, at::kFloat);
    std::memcpy(copy.mutable_data_ptr(), data_, static_cast<std::size_t>(n) * sizeof(float));
    return copy;
  }
  return at::from_blob(
      const_cast<char*>(data_), {n}, [owner = owner_](void*) {}, at::kFloat);
}

}  // namespace tandem::servers

#include "tandem/layers/middle.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace tandem {

Tensor middle_of(const Tensor& images, int64_t height, int64_t width) {
  return images.narrow(1, (images.size(1) - height) / 2, height)
      .narrow(2, (images.size(2) - width) / 2, width)
      .contiguous();
}

Tensor middle_in_ratio(const Tensor& images, int64_t height, int64_t width) {
  const int64_t rows = std::clamp<int64_t>(size_in_ratio(images.size(2), height, width), 1, images.size(1));
  const int64_t columns = std::clamp<int64_t>(size_in_ratio(images.size(1), width, height), 1, images.size(2));
  return middle_of(images, rows, columns);
}

int64_t size_in_ratio(int64_t n, int64_t target, int64_t other) {
  return static_cast<int64_t>(static_cast<float>(n * target) / static_cast<float>(other));
}

}  // namespace tandem

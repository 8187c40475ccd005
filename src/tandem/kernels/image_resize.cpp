#include "tandem/kernels/image_resize.h"

#include <ATen/ops/empty.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

std::vector<AxisTap> taps(int64_t from, int64_t to) {
  std::vector<AxisTap> taps(static_cast<std::size_t>(to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  double centre = 0.5;
  for (AxisTap& tap : taps) {
    tap = axis_tap(centre * scale - 0.5, from, FillMode::nearest);
    centre += 1;
  }
  return taps;
}

}  // namespace

BilinearResize::BilinearResize(const ImageSize& from, int64_t height, int64_t width)
    : from_(from), to_{.height = height, .width = width, .channels = from.channels} {
  if (from.count() <= 0 || height <= 0 || width <= 0) {
    throw InvalidArgument(c10::str("resize: sizes must be positive, got images of ", from.height, " x ", from.width,
                                   " x ", from.channels, " to be resized to ", height, " x ", width));
  }
  rows_ = taps(from.height, height);
  columns_ = taps(from.width, width);
}

// Down first, which runs along memory, then across.
template <class T>
void BilinearResize::operator()(const T* source, float* target) const {
  thread_local std::vector<float> line;  // kept for the next image
  line.resize(static_cast<std::size_t>(from_.row()));
  const int64_t channels = from_.channels;
  for (const AxisTap& row : rows_) {
    const T* top = source + row.low * from_.row();
    const T* bottom = source + row.high * from_.row();
    const float down = row.weight;
    float* blend = line.data();
    for (int64_t k = 0; k < from_.row(); ++k) {
      blend[k] = (1 - down) * static_cast<float>(top[k]) + down * static_cast<float>(bottom[k]);
    }
    for (const AxisTap& column : columns_) {
      const float* left = blend + column.low * channels;
      const float* right = blend + column.high * channels;
      for (int64_t k = 0; k < channels; ++k) *target++ = (1 - column.weight) * left[k] + column.weight * right[k];
    }
  }
}

template void BilinearResize::operator()(const float*, float*) const;
template void BilinearResize::operator()(const uint8_t*, float*) const;

at::Tensor resize_images(const at::Tensor& images, int64_t height, int64_t width) {
  const BilinearResize resize(image_size(images, "resize_images"), height, width);
  at::Tensor resized = at::empty({images.size(0), height, width, images.size(3)}, at::kFloat);
  float* to = resized.mutable_data_ptr<float>();
  with_pixels(images, [&](const auto* from) {
    for (int64_t row = 0; row < images.size(0); ++row)
      resize(from + row * resize.from().count(), to + row * resize.to().count());
  });
  return resized;
}

}  // namespace tandem::kernels

#include "tandem/kernels/image_warp.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/error.h"
#include "tandem/kernels/image_shift.h"

namespace tandem::kernels {
namespace {

template <class T>
struct WarpedImage {
  const T* source;
  ImageSize size;
  AffineMap map;
  Fill fill;

  double line(int64_t i, int64_t j) const {
    return (map.yy * static_cast<double>(i) + map.yx * static_cast<double>(j)) + map.y;
  }
  double column(int64_t i, int64_t j) const {
    return (map.xy * static_cast<double>(i) + map.xx * static_cast<double>(j)) + map.x;
  }
  bool is_inside(int64_t i, int64_t j) const {
    const double y = line(i, j), x = column(i, j);
    return y >= 0 && y <= static_cast<double>(size.height - 1) && x >= 0 && x <= static_cast<double>(size.width - 1);
  }
};

template <int64_t kChannels, class T>
void mix(const T* pixel, int64_t right, int64_t down, float across, float below, int64_t channels, float* out) {
  const float w01 = (1 - below) * across, w10 = below * (1 - across), w11 = below * across;
  const float w00 = (1 - below) * (1 - across);
  const int64_t n = kChannels > 0 ? kChannels : channels;
  for (int64_t k = 0; k < n; ++k) {
    out[k] = w00 * static_cast<float>(pixel[k]) + w01 * static_cast<float>(pixel[k + right]) +
             w10 * static_cast<float>(pixel[k + down]) + w11 * static_cast<float>(pixel[k + down + right]);
  }
}

// Pixels [begin, end) of line i of the output, all read from inside the image.
template <int64_t kChannels, class T>
void warp_inside(const WarpedImage<T>& image, int64_t i, int64_t begin, int64_t end, float* out) {
  const ImageSize size = image.size;
  for (int64_t j = begin; j < end; ++j) {
    const double y = image.line(i, j), x = image.column(i, j);
    const auto row = static_cast<int64_t>(y), column = static_cast<int64_t>(x);
    // At the last line or column the weight of the one after it is 0.
    const int64_t right = column + 1 < size.width ? size.channels : 0;
    const int64_t down = row + 1 < size.height ? size.row() : 0;
    mix<kChannels>(image.source + row * size.row() + column * size.channels, right, down,
                   static_cast<float>(x - static_cast<double>(column)),
                   static_cast<float>(y - static_cast<double>(row)), size.channels, out + j * size.channels);
  }
}

template <class T>
void warp_beyond(const WarpedImage<T>& image, int64_t i, int64_t begin, int64_t end, float* out) {
  const ImageSize size = image.size;
  for (int64_t j = begin; j < end; ++j) {
    const AxisTap row = axis_tap(image.line(i, j), size.height, image.fill.mode);
    const AxisTap column = axis_tap(image.column(i, j), size.width, image.fill.mode);
    if (!row.inside || !column.inside) {
      std::fill_n(out + j * size.channels, size.channels, image.fill.value);
      continue;
    }
    mix<0>(image.source + row.low * size.row() + column.low * size.channels, (column.high - column.low) * size.channels,
           (row.high - row.low) * size.row(), column.weight, row.weight, size.channels, out + j * size.channels);
  }
}

template <int64_t kChannels, class T>
void warp_lines(const WarpedImage<T>& image, float* target) {
  const int64_t width = image.size.width;
  for (int64_t i = 0; i < image.size.height; ++i, target += image.size.row()) {
    // What a straight line has inside a rectangle is one piece.
    int64_t begin = 0, end = width;
    while (begin < end && !image.is_inside(i, begin)) ++begin;
    while (begin < end && !image.is_inside(i, end - 1)) --end;
    warp_beyond(image, i, 0, begin, target);
    warp_inside<kChannels>(image, i, begin, end, target);
    warp_beyond(image, i, end, width, target);
  }
}

// Whole numbers hold every position that is not refused.
void check(const AffineMap& map, const ImageSize& size) {
  constexpr double kMost = 1e9;
  const auto height = static_cast<double>(size.height), width = static_cast<double>(size.width);
  const double y = std::abs(map.yy) * height + std::abs(map.yx) * width + std::abs(map.y);
  const double x = std::abs(map.xy) * height + std::abs(map.xx) * width + std::abs(map.x);
  if (!(y < kMost && x < kMost)) {
    throw InvalidArgument(c10::str("warp_image: the map must be of finite numbers and stay within 1e9 pixels, got ",
                                   map.yy, " ", map.yx, " ", map.y, " / ", map.xy, " ", map.xx, " ", map.x));
  }
}

ImageShift as_shift(const AffineMap& map, const ImageSize& size) {
  const bool upside_down = map.yy < 0, flip = map.xx < 0;
  return {.dy = upside_down ? map.y - static_cast<double>(size.height - 1) : map.y,
          .dx = flip ? map.x - static_cast<double>(size.width - 1) : map.x,
          .flip = flip,
          .upside_down = upside_down};
}

}  // namespace

template <class T>
void warp_image(const T* source, float* target, const ImageSize& size, const AffineMap& map, const Fill& fill) {
  check(map, size);
  if (map.is_shift()) return shift_image(source, target, size, as_shift(map, size), fill);
  const WarpedImage<T> image{.source = source, .size = size, .map = map, .fill = fill};
  switch (size.channels) {
    case 1:
      return warp_lines<1>(image, target);
    case 3:
      return warp_lines<3>(image, target);
    default:
      return warp_lines<0>(image, target);
  }
}

template void warp_image(const float*, float*, const ImageSize&, const AffineMap&, const Fill&);
template void warp_image(const uint8_t*, float*, const ImageSize&, const AffineMap&, const Fill&);

}  // namespace tandem::kernels

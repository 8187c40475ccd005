#include "tandem/data/image_resizer.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/kernels/image_resize.h"

namespace tandem::data {
namespace {

// The pixel whose area holds the centre of pixel `i` of `to`.
int64_t nearest_pixel(int64_t i, int64_t from, int64_t to) { return std::min((2 * i + 1) * from / (2 * to), from - 1); }

void resize_nearest(const uint8_t* source, const kernels::ImageSize& from, int64_t height, int64_t width,
                    float* target) {
  for (int64_t row = 0; row < height; ++row) {
    const uint8_t* line = source + nearest_pixel(row, from.height, height) * from.row();
    for (int64_t column = 0; column < width; ++column) {
      const uint8_t* pixel = line + nearest_pixel(column, from.width, width) * from.channels;
      target = std::copy(pixel, pixel + from.channels, target);
    }
  }
}

}  // namespace

ImageResizer::ImageResizer(int64_t height, int64_t width, const std::string& interpolation, const char* where)
    : height_(height), width_(width), nearest_(interpolation == "nearest") {
  if (height <= 0 || width <= 0)
    throw InvalidArgument(c10::str(where, ": image_size must be positive, got ", height, " x ", width));
  if (!nearest_ && interpolation != "bilinear") {
    for (const char* other : {"bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"}) {
      if (interpolation == other)
        throw InvalidArgument(c10::str(where, ": interpolation '", other, "' is not there; 'bilinear', 'nearest' are"));
    }
    throw_unknown_name(c10::str(where, ": interpolation"), interpolation, {"bilinear", "nearest"});
  }
}

void ImageResizer::operator()(const Tensor& image, float* target) const {
  const kernels::ImageSize from{.height = image.size(0), .width = image.size(1), .channels = image.size(2)};
  const auto* source = image.const_data_ptr<uint8_t>();
  if (from.height == height_ && from.width == width_) {
    std::copy(source, source + from.count(), target);
  } else if (nearest_) {
    resize_nearest(source, from, height_, width_, target);
  } else {
    kernels::BilinearResize(from, height_, width_)(source, target);
  }
}

}  // namespace tandem::data

#include "tandem/kernels/image_shift.h"

#include <ATen/ops/empty.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/kernels/image_flip.h"
#include "tandem/kernels/widest_vectors.h"

namespace tandem::kernels {
namespace {

// Columns [begin, end) of the output read columns + `offset` (and the one after it), all with the same weight: the part
// that runs as one loop over memory. Columns outside lie at the edges.
struct Interior {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t offset = 0;
  float weight = 0;
};

Interior interior(int64_t width, double dx) {
  const double floor = std::floor(dx);
  if (std::abs(floor) >= static_cast<double>(width)) return {};
  const auto offset = static_cast<int64_t>(floor);
  const auto weight = static_cast<float>(dx - floor);
  const int64_t readable = weight == 0 ? width : width - 1;  // columns that have all their taps
  const int64_t begin = std::clamp<int64_t>(-offset, 0, width);
  return {
      .begin = begin, .end = std::clamp<int64_t>(readable - offset, begin, width), .offset = offset, .weight = weight};
}

template <class T>
void shift_line(const T* top, const T* bottom, float down, float* __restrict target, int64_t channels,
                const Interior& in, const std::vector<AxisTap>& edges, float constant) {
  const T* a = top + (in.begin + in.offset) * channels;
  const T* c = bottom + (in.begin + in.offset) * channels;
  float* __restrict out = target + in.begin * channels;
  const int64_t n = (in.end - in.begin) * channels;
  if (down == 0 && in.weight == 0) {
    for (int64_t k = 0; k < n; ++k) out[k] = static_cast<float>(a[k]);
  } else if (in.weight == 0) {
    for (int64_t k = 0; k < n; ++k) out[k] = (1 - down) * static_cast<float>(a[k]) + down * static_cast<float>(c[k]);
  } else {
    const float w00 = (1 - down) * (1 - in.weight), w01 = (1 - down) * in.weight;
    const float w10 = down * (1 - in.weight), w11 = down * in.weight;
    const T* b = a + channels;
    const T* d = c + channels;
    for (int64_t k = 0; k < n; ++k) {
      out[k] = w00 * static_cast<float>(a[k]) + w01 * static_cast<float>(b[k]) + w10 * static_cast<float>(c[k]) +
               w11 * static_cast<float>(d[k]);
    }
  }
  const auto column = [&](int64_t j, const AxisTap& tap) {
    for (int64_t k = 0; k < channels; ++k) {
      const int64_t low = tap.low * channels + k, high = tap.high * channels + k;
      const float up = (1 - tap.weight) * static_cast<float>(top[low]) + tap.weight * static_cast<float>(top[high]);
      const float under =
          (1 - tap.weight) * static_cast<float>(bottom[low]) + tap.weight * static_cast<float>(bottom[high]);
      target[j * channels + k] = tap.inside ? (1 - down) * up + down * under : constant;
    }
  };
  auto edge = edges.begin();
  for (int64_t j = 0; j < in.begin; ++j) column(j, *edge++);
  for (int64_t j = in.end; edge != edges.end(); ++j) column(j, *edge++);
}

template <class T>
void shift_lines(const T* source, float* target, const ImageSize& size, const ImageShift& shift, const Fill& fill,
                 const Interior& in, const std::vector<AxisTap>& edges) {
  for (int64_t i = 0; i < size.height; ++i) {
    const AxisTap tap = axis_tap(static_cast<double>(i) + shift.dy, size.height, fill.mode);
    float* line = target + (shift.upside_down ? size.height - 1 - i : i) * size.row();
    if (!tap.inside) {
      std::fill_n(line, size.row(), fill.value);
      continue;
    }
    shift_line(source + tap.low * size.row(), source + tap.high * size.row(), tap.weight, line, size.channels, in,
               edges, fill.value);
    if (shift.flip) flip_line(line, size.width, size.channels);
  }
}

// Beyond any image, and well within what whole numbers hold.
void check(const ImageShift& shift, const char* where) {
  constexpr double kMost = 1e9;
  if (!(std::abs(shift.dy) < kMost && std::abs(shift.dx) < kMost)) {
    throw InvalidArgument(c10::str(where, ": shifts must be numbers of less than 1e9 pixels, got dy = ", shift.dy,
                                   " and dx = ", shift.dx));
  }
}

}  // namespace

template <class T>
void shift_image(const T* source, float* target, const ImageSize& size, const ImageShift& shift, const Fill& fill) {
  const Interior in = interior(size.width, shift.dx);
  thread_local std::vector<AxisTap> edges;  // kept for the next image
  edges.clear();
  for (int64_t j = 0; j < size.width; ++j) {
    if (j < in.begin || j >= in.end)
      edges.push_back(axis_tap(static_cast<double>(j) + shift.dx, size.width, fill.mode));
  }
  with_widest_vectors([&] { shift_lines(source, target, size, shift, fill, in, edges); });
}

template void shift_image(const float*, float*, const ImageSize&, const ImageShift&, const Fill&);
template void shift_image(const uint8_t*, float*, const ImageSize&, const ImageShift&, const Fill&);

void shift_row(const at::Tensor& source, int64_t source_row, const at::Tensor& target, int64_t target_row,
               const ImageShift& shift, const Fill& fill) {
  const ImageSize size = image_size(source, "shift_row");
  if (image_size(target, "shift_row") != size || target.scalar_type() != at::kFloat) {
    throw InvalidArgument(c10::str("shift_row: the target must be float32 with images like the source's ",
                                   source.sizes(), ", got ", target.toString(), " ", target.sizes()));
  }
  if (source_row < 0 || source_row >= source.size(0) || target_row < 0 || target_row >= target.size(0)) {
    throw InvalidArgument(c10::str("shift_row: rows must be in [0, ", source.size(0), ") and [0, ", target.size(0),
                                   "), got ", source_row, " and ", target_row));
  }
  check(shift, "shift_row");
  float* to = target.mutable_data_ptr<float>() + target_row * size.count();
  with_pixels(source, [&](const auto* from) { shift_image(from + source_row * size.count(), to, size, shift, fill); });
}

at::Tensor shift_images(const at::Tensor& images, std::span<const ImageShift> shifts, const Fill& fill) {
  const ImageSize size = image_size(images, "shift_images");
  if (static_cast<int64_t>(shifts.size()) != images.size(0)) {
    throw InvalidArgument(c10::str("shift_images: there must be one shift an image, got ", shifts.size(), " for ",
                                   images.size(0), " images"));
  }
  at::Tensor moved = at::empty(images.sizes(), at::kFloat);
  float* to = moved.mutable_data_ptr<float>();
  with_pixels(images, [&](const auto* from) {
    for (const ImageShift& shift : shifts) {
      check(shift, "shift_images");
      shift_image(from, to, size, shift, fill);
      from += size.count();
      to += size.count();
    }
  });
  return moved;
}

}  // namespace tandem::kernels

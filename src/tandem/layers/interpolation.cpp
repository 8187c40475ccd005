#include "tandem/layers/interpolation.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <array>
#include <cctype>

#include "tandem/core/error.h"
#include "tandem/layers/window.h"

namespace tandem {

Interpolation parse_interpolation(const std::string& layer, const std::string& name) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "nearest") return Interpolation::nearest;
  if (lower == "bilinear") return Interpolation::bilinear;
  for (const char* other : {"bicubic", "lanczos3", "lanczos5"}) {
    if (lower != other) continue;
    throw InvalidArgument(
        c10::str(layer, ": interpolation '", name, "' is not supported; it must be 'nearest' or 'bilinear'"));
  }
  throw_unknown_name(layer + ": interpolation", name, {"nearest", "bilinear"});
}

std::string to_string(Interpolation interpolation) {
  return interpolation == Interpolation::nearest ? "nearest" : "bilinear";
}

Tensor resize_image(const Tensor& x, int64_t height, int64_t width, Interpolation interpolation) {
  if (x.size(1) == height && x.size(2) == width) return x;
  const Tensor image = to_channels_first(x);
  const std::array<int64_t, 2> sizes = {height, width};
  // "Exact" is the one with pixel centres at halves; LibTorch's plain nearest measures from the pixels' corners.
  return to_channels_last(interpolation == Interpolation::nearest
                              ? at::_upsample_nearest_exact2d(image, at::IntArrayRef(sizes))
                              : at::upsample_bilinear2d(image, at::IntArrayRef(sizes), /*align_corners=*/false));
}

}  // namespace tandem

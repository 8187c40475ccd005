#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

struct LoadImageOptions {
  std::string color_mode = "rgb";                                   // "rgb", "rgba" or "grayscale"
  std::optional<std::array<int64_t, 2>> image_size = std::nullopt;  // {height, width} to resize to
  std::string interpolation = "bilinear";                           // or "nearest"
};

/// A JPEG or PNG picture: uint8 (height, width, channels), or float32 of `image_size` where that is given, values 0 to
/// 255 in both. Palettes are looked up, 16 bits cut to 8, transparency dropped unless the mode is "rgba"; the camera's
/// orientation mark is not followed. The kind of file is read from its first bytes. As Keras decodes and resizes.
/// Throws DataError naming a file that is missing, damaged or cut short, InvalidArgument for an unknown mode.
Tensor load_image(const std::string& path, const LoadImageOptions& options = {});

namespace data {

/// Channels of a color mode: 3, 4 or 1. Throws InvalidArgument, beginning with `where`, for another.
int64_t channels_of(const std::string& color_mode, const char* where);

/// The picture in a JPEG or PNG file as uint8 (height, width, channels); channels: 1, 3 or 4.
Tensor decode_image(const std::string& path, int64_t channels);

}  // namespace data
}  // namespace tandem

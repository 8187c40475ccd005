#include "tandem/data/image_file.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tandem/core/error.h"
#include "tandem/data/decode_jpeg.h"
#include "tandem/data/decode_png.h"
#include "tandem/data/image_resizer.h"

namespace tandem {
namespace data {
namespace {

std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const auto size = in ? static_cast<std::streamoff>(in.tellg()) : std::streamoff{-1};
  std::string bytes(static_cast<std::size_t>(std::max<std::streamoff>(size, 0)), '\0');
  in.seekg(0);
  if (size < 0 || !in.read(bytes.data(), size))
    throw DataError(c10::str(path, ": cannot be read: ", std::strerror(errno)));
  return bytes;
}

}  // namespace

int64_t channels_of(const std::string& color_mode, const char* where) {
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  if (color_mode == "grayscale") return 1;
  throw_unknown_name(c10::str(where, ": color_mode"), color_mode, {"rgb", "rgba", "grayscale"});
}

Tensor decode_image(const std::string& path, int64_t channels) {
  const std::string bytes = bytes_of_file(path);
  if (bytes.starts_with("\xFF\xD8\xFF")) return decode_jpeg(bytes, channels, path);
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return decode_png(bytes, channels, path);
  throw DataError(c10::str(path, bytes.empty() ? ": is empty" : ": is neither a JPEG nor a PNG picture"));
}

}  // namespace data

Tensor load_image(const std::string& path, const LoadImageOptions& options) {
  const int64_t channels = data::channels_of(options.color_mode, "load_image");
  if (!options.image_size) return data::decode_image(path, channels);
  const auto [height, width] = *options.image_size;
  const data::ImageResizer resizer(height, width, options.interpolation, "load_image");
  Tensor image = at::empty({height, width, channels}, at::kFloat);
  resizer(data::decode_image(path, channels), image.mutable_data_ptr<float>());
  return image;
}

}  // namespace tandem

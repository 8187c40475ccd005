#include "tandem/data/decode_png.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/picture_size.h"

namespace tandem::data {
namespace {

// libpng reports errors by a function that must not return: it jumps back into read_header or read_lines, which hold
// nothing that has a destructor.
class PngReader {
 public:
  explicit PngReader(const std::string& bytes) : next_(bytes.data()), left_(bytes.size()) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, [](png_structp, png_const_charp) {});
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw InternalError("PNG: libpng could not be started");
    }
    png_set_read_fn(png_, this, read);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool read_header(int64_t channels) {
    if (setjmp(back_) != 0) return false;
    png_read_info(png_, info_);
    png_set_expand(png_);  // palettes to colors, few bits to 8, transparent colors to an alpha channel
    png_set_strip_16(png_);
    const bool colored = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0;
    if (channels == 1 && colored) png_set_rgb_to_gray(png_, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
    if (channels > 1 && !colored) png_set_gray_to_rgb(png_);
    if (channels == 4) {
      png_set_add_alpha(png_, 255, PNG_FILLER_AFTER);
    } else {
      png_set_strip_alpha(png_);
    }
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  bool read_lines(unsigned char* out) {
    if (setjmp(back_) != 0) return false;
    const auto line = row_bytes();
    const png_uint_32 lines = png_get_image_height(png_, info_);
    for (int pass = 0; pass < passes_; ++pass) {
      for (png_uint_32 i = 0; i < lines; ++i) png_read_row(png_, out + i * line, nullptr);
    }
    png_read_end(png_, nullptr);
    return true;
  }

  const char* message() const { return message_; }
  int64_t height() const { return png_get_image_height(png_, info_); }
  int64_t width() const { return png_get_image_width(png_, info_); }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(reader.message_, sizeof reader.message_, "%s", message);
    std::longjmp(reader.back_, 1);
  }
  static void read(png_structp png, png_bytep to, std::size_t bytes) {
    auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (bytes > reader.left_) png_error(png, "it ends early");
    std::memcpy(to, reader.next_, bytes);
    reader.next_ += bytes;
    reader.left_ -= bytes;
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  const char* next_;
  std::size_t left_;
  int passes_ = 1;
  std::jmp_buf back_;
  char message_[200] = "";
};

}  // namespace

Tensor decode_png(const std::string& bytes, int64_t channels, const std::string& where) {
  PngReader reader(bytes);
  if (!reader.read_header(channels)) throw DataError(c10::str(where, ": is a damaged PNG picture: ", reader.message()));
  check_picture_size(reader.height(), reader.width(), where);
  Tensor image = at::empty({reader.height(), reader.width(), channels}, at::kByte);
  if (static_cast<int64_t>(reader.row_bytes()) != reader.width() * channels)
    throw InternalError(c10::str(where, ": libpng gives lines of ", reader.row_bytes(), " bytes"));
  if (!reader.read_lines(image.mutable_data_ptr<uint8_t>()))
    throw DataError(c10::str(where, ": is a damaged PNG picture: ", reader.message()));
  return image;
}

}  // namespace tandem::data

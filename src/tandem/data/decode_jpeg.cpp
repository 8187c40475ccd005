#include "tandem/data/decode_jpeg.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>  // jpeglib.h wants FILE
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/picture_size.h"

namespace tandem::data {
namespace {

// libjpeg reports errors by a function that must not return: it jumps back into read_header or read_lines, which hold
// nothing that has a destructor.
class JpegReader {
 public:
  explicit JpegReader(const std::string& bytes) : bytes_(bytes) {
    decoder_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = [](j_common_ptr decoder) {
      decoder->err->format_message(decoder, errors_of(decoder).message);
      std::longjmp(errors_of(decoder).back, 1);
    };
    // Damaged bits are a warning, and so is a file that ends early.
    errors_.base.emit_message = [](j_common_ptr decoder, int level) {
      const int code = decoder->err->msg_code;
      if (level < 0 && (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF)) decoder->err->error_exit(decoder);
    };
  }
  ~JpegReader() { jpeg_destroy_decompress(&decoder_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  bool read_header(int64_t channels) {
    if (setjmp(errors_.back) != 0) return false;
    jpeg_create_decompress(&decoder_);
    jpeg_mem_src(&decoder_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
    jpeg_read_header(&decoder_, TRUE);
    const bool four_inks = decoder_.jpeg_color_space == JCS_CMYK || decoder_.jpeg_color_space == JCS_YCCK;
    decoder_.out_color_space = four_inks ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    decoder_.dct_method = JDCT_IFAST;  // TensorFlow's choice, so Keras's pixels
    jpeg_calc_output_dimensions(&decoder_);
    return true;
  }

  bool read_lines(unsigned char* out) {
    if (setjmp(errors_.back) != 0) return false;
    jpeg_start_decompress(&decoder_);
    while (decoder_.output_scanline < decoder_.output_height) {
      unsigned char* line = out + std::size_t{decoder_.output_scanline} * decoder_.output_width * components();
      jpeg_read_scanlines(&decoder_, &line, 1);
    }
    jpeg_finish_decompress(&decoder_);
    return true;
  }

  const char* message() const { return errors_.message; }
  int64_t height() const { return decoder_.output_height; }
  int64_t width() const { return decoder_.output_width; }
  std::size_t components() const { return static_cast<std::size_t>(decoder_.output_components); }
  bool is_cmyk() const { return decoder_.out_color_space == JCS_CMYK; }
  bool is_adobe() const { return decoder_.saw_Adobe_marker != 0; }

 private:
  struct Errors {
    jpeg_error_mgr base;  // first, so that a pointer to it is one to the whole
    std::jmp_buf back;
    char message[JMSG_LENGTH_MAX];
  };
  static Errors& errors_of(j_common_ptr decoder) { return *reinterpret_cast<Errors*>(decoder->err); }

  const std::string& bytes_;
  Errors errors_{};
  jpeg_decompress_struct decoder_{};
};

// Inks to red, green and blue; Adobe's programs store them inverted.
Tensor to_rgb(const Tensor& inks, bool inverted) {
  Tensor light = inks.to(at::kInt);
  if (!inverted) light = 255 - light;
  return (light.slice(2, 0, 3) * light.slice(2, 3, 4)).div(255, "trunc").to(at::kByte);
}

Tensor with_channels(const Tensor& image, int64_t channels) {
  if (image.size(2) == channels) return image.contiguous();
  if (channels == 4) return at::cat({image, at::full_like(image.slice(2, 0, 1), 255)}, 2);
  const Tensor weights = at::tensor({0.299F, 0.587F, 0.114F});
  return at::matmul(image.to(at::kFloat), weights).round().to(at::kByte).unsqueeze(2);
}

}  // namespace

Tensor decode_jpeg(const std::string& bytes, int64_t channels, const std::string& where) {
  JpegReader reader(bytes);
  if (!reader.read_header(channels))
    throw DataError(c10::str(where, ": is a damaged JPEG picture: ", reader.message()));
  check_picture_size(reader.height(), reader.width(), where);
  Tensor image = at::empty({reader.height(), reader.width(), static_cast<int64_t>(reader.components())}, at::kByte);
  if (!reader.read_lines(image.mutable_data_ptr<uint8_t>()))
    throw DataError(c10::str(where, ": is a damaged JPEG picture: ", reader.message()));
  return with_channels(reader.is_cmyk() ? to_rgb(image, reader.is_adobe()) : image, channels);
}

}  // namespace tandem::data

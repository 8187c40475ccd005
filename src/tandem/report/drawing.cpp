#include "tandem/report/drawing.h"

#include <c10/util/StringUtil.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"

namespace tandem::report {
namespace {

struct Release {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Release>;
using Context = std::unique_ptr<cairo_t, Release>;

enum class Format { png, svg, pdf };

Format format_of(const std::string& path) {
  auto ending = path.substr(std::min(path.rfind('.'), path.size()));
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == ".png") return Format::png;
  if (ending == ".svg") return Format::svg;
  if (ending == ".pdf") return Format::pdf;
  throw InvalidArgument(c10::str("a plot's file name must end in .png, .svg or .pdf; received '", path, "'"));
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) throw InternalError(c10::str("drawing a plot: ", cairo_status_to_string(status)));
}

// Exceptions must not pass through Cairo's C code.
cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) noexcept {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

// Cairo numbers surfaces by process: "surface17" becomes "surface1" where it is the first that the text names.
std::string with_own_numbers(const std::string& svg) {
  constexpr std::string_view kName = "surface";
  std::map<std::string, std::size_t> numbers;
  std::string out;
  for (std::size_t at = 0; at < svg.size();) {
    const std::size_t name = svg.find(kName, at);
    if (name == std::string::npos) return out.append(svg, at);
    const std::size_t digits = name + kName.size();
    const std::size_t end = std::min(svg.find_first_not_of("0123456789", digits), svg.size());
    out.append(svg, at, digits - at);
    if (end > digits)
      out += std::to_string(numbers.try_emplace(svg.substr(digits, end - digits), numbers.size() + 1).first->second);
    at = end;
  }
  return out;
}

void paint_on(cairo_surface_t* surface, const Paint& paint, double scale = 1) {
  const Context context(cairo_create(surface));
  cairo_scale(context.get(), scale, scale);
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  paint(context.get());
  check(cairo_status(context.get()));
  cairo_surface_flush(surface);
  check(cairo_surface_status(surface));
}

Surface painted_image(int64_t width, int64_t height, const Paint& paint, double scale = 1) {
  constexpr int64_t kLargest = 32767;  // of Cairo
  if (width < 1 || height < 1 || width > kLargest || height > kLargest) {
    throw InvalidArgument(
        c10::str("a picture's sides must be 1 to ", kLargest, " pixels; received ", width, " x ", height));
  }
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)));
  paint_on(surface.get(), paint, scale);
  return surface;
}

}  // namespace

void check_drawing_file(const std::string& path) {
  format_of(path);
  check_writable(path);
}

void write_drawing(const std::string& path, int64_t width, int64_t height, const Paint& paint, double scale) {
  std::string bytes;
  const auto format = format_of(path);
  if (format == Format::png) {
    const auto pixels = [scale](int64_t units) {
      return std::max<int64_t>(std::llround(scale * static_cast<double>(units)), 1);
    };
    const auto image = painted_image(pixels(width), pixels(height), paint, scale);
    check(cairo_surface_write_to_png_stream(image.get(), append, &bytes));
  } else {
    const auto create =
        format == Format::svg ? cairo_svg_surface_create_for_stream : cairo_pdf_surface_create_for_stream;
    const Surface page(create(append, &bytes, static_cast<double>(width), static_cast<double>(height)));
    if (format == Format::pdf) cairo_pdf_surface_set_metadata(page.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
    paint_on(page.get(), paint);
    cairo_surface_finish(page.get());
    check(cairo_surface_status(page.get()));
    if (format == Format::svg) bytes = with_own_numbers(bytes);
  }
  write_file_atomically(path, bytes);
}

Picture draw_picture(int64_t width, int64_t height, const Paint& paint) {
  const auto image = painted_image(width, height, paint);
  Picture picture{width, height, std::vector<uint32_t>(static_cast<std::size_t>(width * height))};
  const auto* row = cairo_image_surface_get_data(image.get());
  const auto row_pixels = static_cast<std::size_t>(width);
  for (int64_t y = 0; y < height; ++y, row += cairo_image_surface_get_stride(image.get())) {
    auto* to = picture.pixels.data() + static_cast<std::size_t>(y) * row_pixels;
    std::memcpy(to, row, row_pixels * sizeof(uint32_t));
    std::for_each(to, to + row_pixels, [](uint32_t& pixel) { pixel &= 0xFFFFFF; });
  }
  return picture;
}

}  // namespace tandem::report

#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct _cairo;  // Cairo's drawing context, a cairo_t

namespace tandem::report {

/// What a drawing function paints: coordinates in pixels (PNG) or points (SVG, PDF) from the upper left corner, white
/// at first.
using Paint = std::function<void(_cairo*)>;

/// Pixels row by row, each 0x00RRGGBB.
struct Picture {
  int64_t width = 0, height = 0;
  std::vector<uint32_t> pixels;

  uint32_t at(int64_t x, int64_t y) const { return pixels[static_cast<std::size_t>(y * width + x)]; }
};

/// Throws InvalidArgument unless `path` ends in .png, .svg or .pdf, and DataError where it cannot be written: for use
/// before work that takes long.
void check_drawing_file(const std::string& path);

/// Writes the drawing as the ending of `path` says, in one step: a reader never sees a part. The same drawing gives the
/// same bytes at any time: a PDF has no date. `scale` is the pixels of a unit in a PNG. Throws as check_drawing_file.
void write_drawing(const std::string& path, int64_t width, int64_t height, const Paint& paint, double scale = 1);

/// The drawing as pixels.
Picture draw_picture(int64_t width, int64_t height, const Paint& paint);

}  // namespace tandem::report

#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "tandem/report/drawing.h"
#include "tandem/report/polyline.h"

namespace tandem::report {

/// The few things that a plot draws with, on a Cairo context; lengths in the units of the drawing. Text is in DejaVu
/// Sans.
class Brush {
 public:
  explicit Brush(_cairo* cairo);

  /// 0xRRGGBB; `opacity` 0 to 1.
  void colour(uint32_t rgb, double opacity = 1);
  /// Length of dashes and of the gaps between them; 0: lines are unbroken.
  void dashes(double length);
  void font(double size, bool bold = false);

  /// `text` is UTF-8 as printable() gives it.
  double text_length(const std::string& text);
  /// (x, y) is the middle of the text's height; `anchor` 0: its left end, 0.5: its middle, 1: its right end. `angle` in
  /// radians, clockwise.
  void text(const std::string& text, double x, double y, double anchor, double angle = 0);
  void line(const Polyline& points, double width);
  void dot(Point at, double radius);
  /// Filled.
  void shape(const Polyline& corners);
  /// A filled box with round corners and a thin outline.
  void box(const Box& box, double radius, uint32_t fill, double opacity, uint32_t outline);

 private:
  _cairo* cairo_;
};

/// UTF-8 in one line without control characters, whatever the bytes.
std::string printable(std::string_view text);

}  // namespace tandem::report

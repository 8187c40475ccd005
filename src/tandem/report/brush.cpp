#include "tandem/report/brush.h"

#include <cairo.h>

#include <algorithm>
#include <numbers>

#include "tandem/core/utf8.h"

namespace tandem::report {

Brush::Brush(_cairo* cairo) : cairo_(cairo) {
  cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
  font(12);
}

void Brush::colour(uint32_t rgb, double opacity) {
  const auto part = [&](int shift) { return static_cast<double>((rgb >> shift) & 0xFF) / 255; };
  cairo_set_source_rgba(cairo_, part(16), part(8), part(0), opacity);
}

void Brush::dashes(double length) { cairo_set_dash(cairo_, &length, length > 0 ? 1 : 0, 0); }

void Brush::font(double size, bool bold) {
  const auto weight = bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
  cairo_select_font_face(cairo_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, weight);
  cairo_set_font_size(cairo_, size);
}

double Brush::text_length(const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_, text.c_str(), &extents);
  return extents.x_advance;
}

void Brush::text(const std::string& text, double x, double y, double anchor, double angle) {
  cairo_font_extents_t font;
  cairo_font_extents(cairo_, &font);
  cairo_save(cairo_);
  cairo_translate(cairo_, x, y);
  cairo_rotate(cairo_, angle);
  cairo_move_to(cairo_, -anchor * text_length(text), (font.ascent - font.descent) / 2);
  cairo_show_text(cairo_, text.c_str());
  cairo_restore(cairo_);
  cairo_new_path(cairo_);  // show_text leaves its end as the current point
}

void Brush::line(const Polyline& points, double width) {
  for (const Point point : points) cairo_line_to(cairo_, point.x, point.y);
  cairo_set_line_width(cairo_, width);
  cairo_stroke(cairo_);
}

void Brush::dot(Point at, double radius) {
  cairo_arc(cairo_, at.x, at.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(cairo_);
}

void Brush::shape(const Polyline& corners) {
  for (const Point corner : corners) cairo_line_to(cairo_, corner.x, corner.y);
  cairo_fill(cairo_);
}

void Brush::box(const Box& box, double radius, uint32_t fill, double opacity, uint32_t outline) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const double left = box.x + radius, right = box.x + box.width - radius;
  const double top = box.y + radius, bottom = box.y + box.height - radius;
  cairo_arc(cairo_, right, top, radius, -kQuarter, 0);
  cairo_arc(cairo_, right, bottom, radius, 0, kQuarter);
  cairo_arc(cairo_, left, bottom, radius, kQuarter, 2 * kQuarter);
  cairo_arc(cairo_, left, top, radius, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cairo_);
  colour(fill, opacity);
  cairo_fill_preserve(cairo_);
  colour(outline);
  cairo_set_line_width(cairo_, 1);
  cairo_stroke(cairo_);
}

std::string printable(std::string_view text) {
  auto characters = decode_utf8(text);
  const auto is_control = [](char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); };
  std::replace_if(characters.begin(), characters.end(), is_control, U' ');
  return encode_utf8(characters);
}

}  // namespace tandem::report

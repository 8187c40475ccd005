#include "tandem/report/legend.h"

#include <algorithm>
#include <cmath>

#include "tandem/report/text_width.h"

namespace tandem::report {
namespace {

constexpr std::size_t kMostDots = 30;
constexpr std::size_t kMostInside = 8;

// In units.
constexpr double kFont = 12, kLine = 19, kPad = 8, kSample = 22, kGap = 8, kColumnGap = 14;

}  // namespace

void choose_pen(Brush& brush, std::size_t index, double unit) {
  brush.colour(curve_colour(index));
  brush.dashes(4 * unit * static_cast<double>(index / kCurveColours));  // longer with each repetition of the colours
}

bool has_dots(const Curve& curve) { return curve.x.size() <= kMostDots; }

Legend::Legend(Brush& brush, const std::vector<Curve>& curves, double unit, double most_height, double most_label)
    : curves_(curves), unit_(unit) {
  brush.font(kFont * unit_);
  double widest = 0;
  for (const auto& curve : curves) {
    auto label = printable(curve.label);
    for (auto cells = text_width(label); cells > 1 && brush.text_length(label) > most_label; --cells) {
      label = shorten(label, cells - 1);
    }
    widest = std::max(widest, brush.text_length(label));
    labels_.push_back(std::move(label));
  }
  if (std::all_of(labels_.begin(), labels_.end(), [](const std::string& label) { return label.empty(); }))
    labels_.clear();
  if (labels_.empty()) return;

  const double lines = std::max(1.0, std::floor((most_height - 2 * kMargin * unit_) / (kLine * unit_)));
  const auto count = static_cast<double>(labels_.size());
  const double columns = std::ceil(count / lines);
  rows_ = static_cast<std::size_t>(std::ceil(count / columns));
  column_ = widest + (kSample + kGap + (columns > 1 ? kColumnGap : 0)) * unit_;
  width_ = column_ * columns + 2 * kPad * unit_;
  height_ = (static_cast<double>(rows_) * kLine + 2 * kPad - 4) * unit_;
}

bool Legend::is_outside() const { return labels_.size() > kMostInside; }

void Legend::draw(Brush& brush, const Box& frame, const std::vector<Polyline>& lines) const {
  if (is_empty()) return;
  const double margin = kMargin * unit_;
  auto box = is_outside() ? Box{frame.x + frame.width + margin, frame.y, width_, height_}
                          : least_covering(frame, width_, height_, margin, lines);
  box.x = std::floor(box.x) + 0.5;
  box.y = std::floor(box.y) + 0.5;
  brush.box(box, 4 * unit_, 0xFFFFFF, 0.85, 0xD0D0D0);
  brush.font(kFont * unit_);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const double left = box.x + kPad * unit_ + column_ * static_cast<double>(i / rows_);
    const double middle = box.y + (kPad - 2 + kLine * (static_cast<double>(i % rows_) + 0.5)) * unit_;
    choose_pen(brush, i, unit_);
    brush.line({{left, middle}, {left + kSample * unit_, middle}}, 2 * unit_);
    brush.dashes(0);
    if (has_dots(curves_[i])) brush.dot({left + kSample / 2 * unit_, middle}, 2.8 * unit_);
    brush.colour(0x2B2B2B);
    brush.text(labels_[i], left + (kSample + kGap) * unit_, middle, 0);
  }
}

}  // namespace tandem::report

#include "tandem/report/curves.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "tandem/core/error.h"
#include "tandem/report/brush.h"
#include "tandem/report/legend.h"
#include "tandem/report/polyline.h"
#include "tandem/report/ticks.h"

namespace tandem::report {
namespace {

// After M. Okabe and K. Ito, "Color Universal Design", 2008; yellow, unreadable on white, is replaced.
constexpr std::array<uint32_t, kCurveColours> kColours = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                                          0xE69F00, 0x56B4E9, 0x555555, 0x8C564B};
constexpr uint32_t kText = 0x2B2B2B, kFaint = 0x6B6B6B, kGrid = 0xE6E6E6, kFrame = 0x9A9A9A;

struct Range {
  double low = 0, high = 1;
  bool whole = true, empty = true;

  void add(double value) {
    low = empty ? value : std::min(low, value);
    high = empty ? value : std::max(high, value);
    whole = whole && value == std::floor(value);
    empty = false;
  }
  void pad(double share) { std::tie(low, high) = padded_range(low, high, share); }
};

// One plot on one surface; `unit` is a pixel of the default size.
class Plot {
 public:
  Plot(_cairo* cairo, const std::vector<Curve>& curves, const PlotOptions& options)
      : brush_(cairo),
        curves_(curves),
        options_(options),
        unit_(std::clamp(static_cast<double>(std::min(options.width * 5, options.height * 8)) / 4000, 0.6, 4.0)) {}

  void draw() {
    find_ranges();
    lay_out();
    draw_axes();
    std::vector<Polyline> all;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      auto runs = polylines_of(curves_[i], [this](double x, double y) { return place(x, y); });
      draw_curve(i, runs);
      std::move(runs.begin(), runs.end(), std::back_inserter(all));
    }
    legend_->draw(brush_, frame_, all);
    if (y_.empty) {
      brush_.colour(kFaint);
      brush_.font(13 * unit_);
      brush_.text("no finite values", frame_.x + frame_.width / 2, frame_.y + frame_.height / 2, 0.5);
    }
  }

 private:
  void find_ranges() {
    for (const auto& curve : curves_) {
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (!is_drawable(curve.x[i])) continue;
        x_.add(curve.x[i]);
        if (is_drawable(curve.y[i])) y_.add(curve.y[i]);
      }
    }
    x_.pad(0.02);
    y_.pad(0.05);
  }

  void lay_out() {
    const auto width = static_cast<double>(options_.width), height = static_cast<double>(options_.height);
    const double top = (options_.title.empty() ? 16 : 44) * unit_;
    const double bottom = (options_.x_label.empty() ? 34 : 56) * unit_;
    frame_ = {0, top, width, height - top - bottom};
    y_ticks_ = nice_ticks(y_.low, y_.high, std::max<int64_t>(3, static_cast<int64_t>(frame_.height / (42 * unit_))));
    brush_.font(kTickSize * unit_);
    double label = 0;
    for (const auto& tick : y_ticks_) label = std::max(label, brush_.text_length(tick.label));
    frame_.x = label + (options_.y_label.empty() ? 22 : 48) * unit_;
    legend_.emplace(brush_, curves_, unit_, frame_.height, 0.25 * width);
    const double beside = legend_->is_outside() ? legend_->width() + Legend::kMargin * unit_ : 0;
    frame_.width = std::max(width - frame_.x - beside - 20 * unit_, 1.0);
    brush_.font(kTickSize * unit_);

    // As many numbers as stand side by side with some air between them.
    for (int64_t most = std::max<int64_t>(3, static_cast<int64_t>(frame_.width / (50 * unit_))); most >= 2; --most) {
      x_ticks_ = nice_ticks(x_.low, x_.high, most, x_.whole && !x_.empty);
      double widest = 0;
      for (const auto& tick : x_ticks_) widest = std::max(widest, brush_.text_length(tick.label));
      if ((widest + 16 * unit_) * static_cast<double>(x_ticks_.size()) <= frame_.width) break;
    }
  }

  Point place(double x, double y) const {
    return {frame_.x + (x - x_.low) / (x_.high - x_.low) * frame_.width,
            frame_.y + (y_.high - y) / (y_.high - y_.low) * frame_.height};
  }

  void draw_axes() {
    const double right = frame_.x + frame_.width, bottom = frame_.y + frame_.height;
    const auto sharp = [](double at) { return std::floor(at) + 0.5; };  // a line of one pixel, not two grey ones
    brush_.font(kTickSize * unit_);
    for (const auto& tick : y_ticks_) {
      const double y = sharp(place(x_.low, tick.value).y);
      brush_.colour(kGrid);
      brush_.line({{frame_.x, y}, {right, y}}, 1);
      brush_.colour(kFaint);
      brush_.text(minus_sign(tick.label), frame_.x - 8 * unit_, y, 1);
    }
    for (const auto& tick : x_ticks_) {
      const double x = sharp(place(tick.value, y_.low).x);
      brush_.colour(kGrid);
      brush_.line({{x, frame_.y}, {x, bottom}}, 1);
      brush_.colour(kFaint);
      brush_.text(minus_sign(tick.label), x, bottom + 15 * unit_, 0.5);
    }
    brush_.colour(kFrame);
    brush_.line({{sharp(frame_.x), frame_.y}, {sharp(frame_.x), sharp(bottom)}, {right, sharp(bottom)}}, 1);

    const double centre = frame_.x + frame_.width / 2, middle = frame_.y + frame_.height / 2;
    brush_.colour(kText);
    brush_.font(13 * unit_);
    brush_.text(printable(options_.x_label), centre, bottom + 39 * unit_, 0.5);
    brush_.text(printable(options_.y_label), 18 * unit_, middle, 0.5, -std::numbers::pi / 2);
    brush_.font(15.5 * unit_, true);
    brush_.text(printable(options_.title), centre, 23 * unit_, 0.5);
  }

  static std::string minus_sign(const std::string& label) {
    return label.starts_with('-') ? "−" + label.substr(1) : label;
  }

  void draw_curve(std::size_t index, const std::vector<Polyline>& runs) {
    choose_pen(brush_, index, unit_);
    const bool dotted = has_dots(curves_[index]);
    for (const auto& run : runs) {
      if (run.size() > 1) brush_.line(run, 2 * unit_);
      if (run.size() == 1) brush_.dot(run.front(), 3.5 * unit_);
      if (run.size() > 1 && dotted) {
        for (const Point point : run) brush_.dot(point, 2.8 * unit_);
      }
    }
    brush_.dashes(0);
  }

  static constexpr double kTickSize = 11.5;  // units

  Brush brush_;
  const std::vector<Curve>& curves_;
  const PlotOptions& options_;
  double unit_;
  Range x_, y_;
  Box frame_;
  std::optional<Legend> legend_;
  std::vector<Tick> x_ticks_, y_ticks_;
};

void check_input(const std::vector<Curve>& curves, const PlotOptions& options) {
  if (curves.empty()) throw InvalidArgument("a plot needs at least one curve; received none");
  for (const auto& curve : curves) {
    if (curve.x.size() != curve.y.size()) {
      throw InvalidArgument(c10::str("curve '", curve.label, "': x and y must be of one length; received ",
                                     curve.x.size(), " and ", curve.y.size()));
    }
    if (curve.x.empty()) throw InvalidArgument(c10::str("curve '", curve.label, "' must have a point; it has none"));
  }
  if (options.width < 160 || options.height < 120) {
    throw InvalidArgument(
        c10::str("a plot must be at least 160 x 120; received ", options.width, " x ", options.height));
  }
}

Paint painter(const std::vector<Curve>& curves, const PlotOptions& options) {
  check_input(curves, options);
  return [&](_cairo* cairo) { Plot(cairo, curves, options).draw(); };
}

}  // namespace

uint32_t curve_colour(std::size_t index) { return kColours[index % kCurveColours]; }

void plot_curves(const std::vector<Curve>& curves, const std::string& path, PlotOptions options) {
  write_drawing(path, options.width, options.height, painter(curves, options));
}

Picture draw_curves(const std::vector<Curve>& curves, PlotOptions options) {
  return draw_picture(options.width, options.height, painter(curves, options));
}

}  // namespace tandem::report

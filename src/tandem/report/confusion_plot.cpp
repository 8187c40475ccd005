#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tandem/core/error.h"
#include "tandem/report/brush.h"
#include "tandem/report/classification_plots.h"
#include "tandem/report/number_text.h"

namespace tandem::report {
namespace {

constexpr uint32_t kInk = 0x2B2B2B, kPaper = 0xFFFFFF, kEdge = 0x9A9A9A;
constexpr double kSmallestCell = 4;  // units; a larger matrix needs a larger drawing

/// A matrix on one surface; `unit` is a pixel of the default size.
class MatrixPlot {
 public:
  MatrixPlot(_cairo* cairo, const metrics::ClassificationReport& report, const PlotOptions& options)
      : brush_(cairo),
        report_(report),
        options_(options),
        classes_(report.by_class.size()),
        unit_(std::clamp(static_cast<double>(std::min(options.width * 5, options.height * 8)) / 4000, 0.6, 4.0)) {}

  void draw() {
    lay_out();
    for (std::size_t row = 0; row < classes_; ++row) {
      for (std::size_t column = 0; column < classes_; ++column) draw_cell(row, column);
    }
    draw_names();
    const double right = left_ + side(), bottom = top_ + side();
    brush_.colour(kEdge);
    brush_.line({{left_, top_}, {right, top_}, {right, bottom}, {left_, bottom}, {left_, top_}}, 1);
  }

 private:
  double side() const { return cell_ * static_cast<double>(classes_); }

  void lay_out() {
    const auto width = static_cast<double>(options_.width), height = static_cast<double>(options_.height);
    brush_.font(kNameSize * unit_);
    double names = 0;
    for (const auto& name : report_.names) names = std::max(names, brush_.text_length(printable(name)));
    names = std::min(names, 0.25 * width);
    top_ = (options_.title.empty() ? 16 : 44) * unit_;
    left_ = names + 50 * unit_;
    cell_ = std::min(width - left_ - 16 * unit_, height - top_ - 64 * unit_) / static_cast<double>(classes_);
    cell_ = std::max(cell_, kSmallestCell);
  }

  void draw_cell(std::size_t row, std::size_t column) {
    const double count = report_.confusion.const_data_ptr<double>()[row * classes_ + column];
    const double support = report_.by_class[row].support, share = support > 0 ? count / support : 0;
    const double x = left_ + cell_ * static_cast<double>(column), y = top_ + cell_ * static_cast<double>(row);
    brush_.colour(curve_colour(0), share);
    brush_.shape({{x, y}, {x + cell_, y}, {x + cell_, y + cell_}, {x, y + cell_}});
    const std::string text = shortest_text(std::round(count * 100) / 100);
    brush_.font(std::min(kNameSize * unit_, cell_ / 2));
    if (brush_.text_length(text) > 0.9 * cell_) return;
    brush_.colour(share > 0.5 ? kPaper : kInk);
    brush_.text(text, x + cell_ / 2, y + cell_ / 2, 0.5);
  }

  void draw_names() {
    const double size = std::min(kNameSize * unit_, 0.9 * cell_);
    brush_.colour(kInk);
    brush_.font(size);
    for (std::size_t i = 0; i < classes_; ++i) {
      const auto name = printable(report_.names[i]);
      const double middle = (static_cast<double>(i) + 0.5) * cell_;
      brush_.text(name, left_ - 8 * unit_, top_ + middle, 1);
      if (brush_.text_length(name) <= cell_) brush_.text(name, left_ + middle, top_ + side() + 14 * unit_, 0.5);
    }
    brush_.font(13 * unit_);
    brush_.text(printable(options_.x_label), left_ + side() / 2, top_ + side() + 38 * unit_, 0.5);
    brush_.text(printable(options_.y_label), 18 * unit_, top_ + side() / 2, 0.5, -std::numbers::pi / 2);
    brush_.font(15.5 * unit_, true);
    brush_.text(printable(options_.title), left_ + side() / 2, 23 * unit_, 0.5);
  }

  static constexpr double kNameSize = 12;  // units

  Brush brush_;
  const metrics::ClassificationReport& report_;
  const PlotOptions& options_;
  std::size_t classes_;
  double unit_, left_ = 0, top_ = 0, cell_ = 0;
};

Paint matrix_painter(const metrics::ClassificationReport& report, PlotOptions& options) {
  const auto classes = static_cast<int64_t>(report.by_class.size());
  if (classes == 0 || !report.confusion.defined() || report.confusion.numel() != classes * classes)
    throw InvalidArgument("plot_confusion_matrix: a report must have classes and their matrix");
  if (options.width < 160 || options.height < 120) {
    throw InvalidArgument(
        c10::str("a plot must be at least 160 x 120; received ", options.width, " x ", options.height));
  }
  if (options.x_label.empty()) options.x_label = "Predicted";
  if (options.y_label.empty()) options.y_label = "True";
  return [&](_cairo* cairo) { MatrixPlot(cairo, report, options).draw(); };
}

}  // namespace

void plot_confusion_matrix(const metrics::ClassificationReport& report, const std::string& path, PlotOptions options) {
  const auto paint = matrix_painter(report, options);
  write_drawing(path, options.width, options.height, paint);
}

Picture draw_confusion_matrix(const metrics::ClassificationReport& report, PlotOptions options) {
  const auto paint = matrix_painter(report, options);
  return draw_picture(options.width, options.height, paint);
}

}  // namespace tandem::report

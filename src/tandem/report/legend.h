#pragma once
#include <string>
#include <vector>

#include "tandem/report/brush.h"
#include "tandem/report/curves.h"
#include "tandem/report/polyline.h"

namespace tandem::report {

/// Colour and dashes of the curve with this index; `unit` is the length of a pixel of the default size.
void choose_pen(Brush& brush, std::size_t index, double unit);

/// True where each point of the curve is shown as a dot.
bool has_dots(const Curve& curve);

/// Samples and labels of the curves in a box, in as many columns as its height asks for, long labels cut.
class Legend {
 public:
  /// Fits the legend into `most_height`, and each label into `most_label`.
  Legend(Brush& brush, const std::vector<Curve>& curves, double unit, double most_height, double most_label);

  /// No curve has a label.
  bool is_empty() const { return labels_.empty(); }
  /// Many curves have their legend beside the frame, not in it.
  bool is_outside() const;
  double width() const { return width_; }

  /// Beside `frame`, or where it hides least of the curves in it.
  void draw(Brush& brush, const Box& frame, const std::vector<Polyline>& lines) const;

  static constexpr double kMargin = 10;  ///< units between the legend and what is around it

 private:
  const std::vector<Curve>& curves_;
  double unit_;
  std::vector<std::string> labels_;
  std::size_t rows_ = 0;
  double column_ = 0, width_ = 0, height_ = 0;
};

}  // namespace tandem::report

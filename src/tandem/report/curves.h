#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/report/drawing.h"

namespace tandem::report {

/// Points (x[i], y[i]) joined in order. A point that is NaN or infinite leaves a gap; one without neighbours is a dot.
struct Curve {
  std::string label;
  std::vector<double> x, y;
};

struct PlotOptions {
  std::string title = {}, x_label = {}, y_label = {};
  int64_t width = 800, height = 500;  ///< pixels of a PNG, points of an SVG or PDF; at least 160 x 120
};

/// Draws the curves over a grid with round numbers at the axes and a legend where it hides least, and writes them in
/// one step as the ending of `path` says: .png, .svg or .pdf. Where every x is whole, so are the numbers at its axis.
/// Throws InvalidArgument for no curves, a curve without points or with lists of two lengths, another ending; DataError
/// "<path>: <reason>" where the file cannot be written.
void plot_curves(const std::vector<Curve>& curves, const std::string& path, PlotOptions options = {});

/// The same drawing as pixels.
Picture draw_curves(const std::vector<Curve>& curves, PlotOptions options = {});

inline constexpr std::size_t kCurveColours = 8;

/// Colour 0xRRGGBB of the curve with this index. Colour-blind readers can tell them apart; after kCurveColours they
/// repeat, with dashed lines.
uint32_t curve_colour(std::size_t index);

}  // namespace tandem::report

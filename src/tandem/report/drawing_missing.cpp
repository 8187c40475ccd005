// In place of drawing.cpp, curves.cpp, legend.cpp, brush.cpp, diagram.cpp and confusion_plot.cpp where Cairo is
// missing.
#include "tandem/core/error.h"
#include "tandem/report/classification_plots.h"
#include "tandem/report/curves.h"
#include "tandem/report/diagram.h"
#include "tandem/report/drawing.h"

namespace tandem::report {
namespace {

[[noreturn]] void throw_without_cairo() {
  throw InvalidArgument("plots cannot be drawn: Tandem was built without Cairo");
}

}  // namespace

void check_drawing_file(const std::string&) { throw_without_cairo(); }
void write_drawing(const std::string&, int64_t, int64_t, const Paint&, double) { throw_without_cairo(); }
Picture draw_picture(int64_t, int64_t, const Paint&) { throw_without_cairo(); }

void plot_curves(const std::vector<Curve>&, const std::string&, PlotOptions) { throw_without_cairo(); }
Picture draw_curves(const std::vector<Curve>&, PlotOptions) { throw_without_cairo(); }
uint32_t curve_colour(std::size_t) { throw_without_cairo(); }

void plot_confusion_matrix(const metrics::ClassificationReport&, const std::string&, PlotOptions) {
  throw_without_cairo();
}
Picture draw_confusion_matrix(const metrics::ClassificationReport&, PlotOptions) { throw_without_cairo(); }

void write_diagram(const Diagram&, const std::string&) { throw_without_cairo(); }
Picture draw_diagram(const Diagram&) { throw_without_cairo(); }

}  // namespace tandem::report

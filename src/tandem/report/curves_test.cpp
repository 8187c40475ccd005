#include "tandem/report/curves.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include "tandem/core/error.h"
#include "tandem/report/polyline.h"
#include "tandem/report/training_plot.h"

namespace tandem::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Where a picture shows exactly this colour (the middle of a line; its edges are blended): mean row of each such
// column.
std::map<int64_t, double> columns_of(const Picture& picture, uint32_t colour) {
  std::map<int64_t, double> rows;
  for (int64_t x = 0; x < picture.width; ++x) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t y = 0; y < picture.height; ++y) {
      if (picture.at(x, y) != colour) continue;
      sum += static_cast<double>(y);
      ++count;
    }
    if (count > 0) rows[x] = sum / static_cast<double>(count);
  }
  return rows;
}

// A curve without label (no legend, which would show its colour as well) and too many points for dots.
Curve line(int64_t points, const std::function<double(double)>& y) {
  Curve curve;
  for (int64_t i = 0; i < points; ++i) {
    curve.x.push_back(static_cast<double>(i));
    curve.y.push_back(y(curve.x.back()));
  }
  return curve;
}

TEST(DrawCurvesTest, AStraightLineIsStraightAndFillsTheFrame) {
  const auto rows = columns_of(draw_curves({line(101, [](double x) { return 3 * x - 7; })}), curve_colour(0));
  ASSERT_GT(rows.size(), 300u);
  const auto [first_x, first_y] = *rows.begin();
  const auto [last_x, last_y] = *rows.rbegin();
  EXPECT_LT(first_x, 80);
  EXPECT_GT(last_x, 740);
  EXPECT_GT(first_y, 400);
  EXPECT_LT(last_y, 60);
  for (const auto& [x, y] : rows) {
    const double share = static_cast<double>(x - first_x) / static_cast<double>(last_x - first_x);
    EXPECT_NEAR(y, first_y + share * (last_y - first_y), 2) << x;
  }
}

TEST(DrawCurvesTest, ValuesThatAreNotFiniteLeaveAGap) {
  for (const double bad : {kNaN, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::max()}) {
    auto curve = line(101, [](double x) { return x; });
    const auto whole = columns_of(draw_curves({curve}), curve_colour(0));
    for (std::size_t i = 41; i < 60; ++i) curve.y[i] = bad;
    const auto rows = columns_of(draw_curves({curve}), curve_colour(0));
    const auto first = whole.begin()->first, length = whole.rbegin()->first - first;
    EXPECT_EQ(rows.begin()->first, whole.begin()->first);
    EXPECT_EQ(rows.rbegin()->first, whole.rbegin()->first);
    for (const auto& column : rows) {
      const double share = static_cast<double>(column.first - first) / static_cast<double>(length);
      EXPECT_TRUE(share < 0.41 || share > 0.59) << share;
    }
  }
}

TEST(DrawCurvesTest, AnIsolatedPointIsADot) {
  const auto dots = columns_of(draw_curves({Curve{"", {1}, {0.5}}}), curve_colour(0));
  EXPECT_GE(dots.size(), 4u);
  EXPECT_LE(dots.size(), 8u);
  const auto middle = columns_of(draw_curves({Curve{"", {0, 1, 2, 3, 4}, {1, kNaN, 1, kNaN, 1}}}), curve_colour(0));
  EXPECT_GE(middle.size(), 12u);
  EXPECT_LE(middle.size(), 24u);
}

TEST(DrawCurvesTest, EachCurveHasItsColourAndTheLegendHidesNone) {
  std::vector<Curve> curves;
  for (int k = 0; k < 4; ++k) curves.push_back(line(40, [k](double x) { return std::exp(-x / (5 + 5 * k)); }));
  const auto plain = draw_curves(curves);
  for (std::size_t k = 0; k < 4; ++k) curves[k].label = "curve";
  const auto labelled = draw_curves(curves);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_GT(columns_of(plain, curve_colour(k)).size(), 50u) << k;
    // These fall from the upper left: the upper right is free, and every pixel of them stays visible.
    for (std::size_t i = 0; i < plain.pixels.size(); ++i) {
      if (plain.pixels[i] != curve_colour(k)) continue;
      EXPECT_EQ(labelled.pixels[i], curve_colour(k));
    }
  }
  EXPECT_NE(plain.pixels, labelled.pixels);
}

TEST(DrawCurvesTest, DrawsWhateverTheNumbersAndTexts) {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> values = {{kNaN, kNaN},    {0, 0},        {tiny, 2 * tiny},
                                                   {-1e300, 1e300}, {huge, -huge}, {1e9, 1e9 + 1}};
  for (const auto& y : values) {
    for (const int64_t width : {160, 2000}) {
      const auto picture =
          draw_curves({Curve{"\xff bad \n bytes", {0, 1}, y}},
                      {.title = std::string(500, 'x'), .x_label = "\x80", .width = width, .height = 120});
      EXPECT_EQ(picture.pixels.size(), static_cast<std::size_t>(width * 120));
    }
  }
  std::vector<Curve> many(100,
                          Curve{"a label that is much longer than there is room for beside the plot", {0, 1}, {0, 1}});
  EXPECT_EQ(draw_curves(many).width, 800);
}

TEST(DrawCurvesTest, SaysWhatIsWrong) {
  EXPECT_THROW(draw_curves({}), InvalidArgument);
  EXPECT_THROW(draw_curves({Curve{"a", {}, {}}}), InvalidArgument);
  EXPECT_THROW(draw_curves({Curve{"a", {1, 2}, {1}}}), InvalidArgument);
  EXPECT_THROW(draw_curves({Curve{"a", {1}, {1}}}, {.width = 10}), InvalidArgument);
  EXPECT_THROW(draw_curves({Curve{"a", {1}, {1}}}, {.width = 1 << 20}), InvalidArgument);
}

TEST(PolylinesTest, ThinningKeepsTheOutlineOfEachColumnOfPixels) {
  const auto curve = line(100000, [](double x) { return std::sin(x); });
  const auto place = [](double x, double y) { return Point{x / 1000, y}; };  // 100 columns of 1,000 points
  const auto runs = polylines_of(curve, place);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_LE(runs[0].size(), 400u);
  for (int64_t column = 0; column < 100; ++column) {
    double low = 2, high = -2, kept_low = 2, kept_high = -2;
    for (int64_t i = 1000 * column; i < 1000 * (column + 1); ++i) {
      low = std::min(low, std::sin(static_cast<double>(i)));
      high = std::max(high, std::sin(static_cast<double>(i)));
    }
    for (const Point point : runs[0]) {
      if (static_cast<int64_t>(std::floor(point.x)) != column) continue;
      kept_low = std::min(kept_low, point.y);
      kept_high = std::max(kept_high, point.y);
    }
    EXPECT_EQ(low, kept_low);
    EXPECT_EQ(high, kept_high);
  }
}

TEST(LegendTest, StandsWhereItHidesLeast) {
  const Box frame{0, 0, 100, 100};
  const auto corner = [&](const Polyline& run) {
    const auto box = least_covering(frame, 20, 20, 5, {run});
    return std::make_pair(box.x, box.y);
  };
  EXPECT_EQ(corner({{0, 0}, {0, 100}}), std::make_pair(75.0, 5.0));              // upper right
  EXPECT_EQ(corner({{0, 100}, {100, 0}}), std::make_pair(5.0, 5.0));             // upper left
  EXPECT_EQ(corner({{0, 10}, {100, 10}}), std::make_pair(75.0, 75.0));           // lower right
  EXPECT_EQ(corner({{0, 10}, {85, 10}, {85, 100}}), std::make_pair(5.0, 75.0));  // lower left
}

class PlotFileTest : public ::testing::Test {
 protected:
  PlotFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "tandem_plot_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~PlotFileTest() override { std::filesystem::remove_all(folder_); }

  std::string written(const std::string& name) const {
    plot_history({{0, Logs({{"loss", 2}, {"val_accuracy", 0.1}})}, {1, Logs({{"loss", 1}, {"val_accuracy", 0.5}})}},
                 folder_ + "/" + name, {.title = "Digits", .width = 640, .height = 400});
    std::ifstream in(folder_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string folder_;
};

TEST_F(PlotFileTest, TheEndingChoosesTheFormat) {
  const auto png = written("plot.png");
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x02\x80\0\0\x01\x90", 8));  // 640 x 400, big-endian
  EXPECT_NE(written("plot.SVG").find("<svg"), std::string::npos);
  EXPECT_TRUE(written("plot.pdf").starts_with("%PDF"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 3);
}

TEST_F(PlotFileTest, SaysWhyItCannotBeWritten) {
  EXPECT_THROW(written("plot.jpg"), InvalidArgument);
  EXPECT_THROW(written("plot"), InvalidArgument);
  EXPECT_THROW(written("no/plot.png"), DataError);
  EXPECT_THROW(check_drawing_file(folder_ + "/no/plot.png"), DataError);
  EXPECT_THROW(check_drawing_file(folder_ + "/plot.gif"), InvalidArgument);
  EXPECT_NO_THROW(check_drawing_file(folder_ + "/plot.png"));
}

TEST_F(PlotFileTest, TheSamePlotGivesTheSameBytes) {
  for (const char* name : {"plot.png", "plot.svg", "plot.pdf"}) {
    const auto first = written(name);
    draw_curves({{"", {0, 1}, {0, 1}}});  // other surfaces in between count on in Cairo
    EXPECT_EQ(written(name), first) << name;
  }
  EXPECT_EQ(written("plot.pdf").find("Date"), std::string::npos);
}

// Every other epoch validates, from the eighth on.
TEST(TrainingCurvesTest, HoldLossesThenAccuraciesWithTheRecipesLabels) {
  const auto curves = training_curves(
      {{7, Logs({{"accuracy", 0.5}, {"loss", 2}, {"learning_rate", 0.1}})},
       {8, Logs({{"accuracy", 0.6}, {"loss", 1}, {"learning_rate", 0.1}, {"val_accuracy", 0.4}, {"val_loss", 3}})},
       {9, Logs({{"accuracy", 0.7}, {"loss", 1}, {"learning_rate", 0.1}})}});
  std::string labels;
  for (const auto& curve : curves) labels += curve.label + " ";
  EXPECT_EQ(labels, "train_loss val_loss train_acc val_acc ");
  EXPECT_EQ(curves[0].x, (std::vector<double>{8, 9, 10}));
  EXPECT_EQ(curves[0].y, (std::vector<double>{2, 1, 1}));
  EXPECT_EQ(curves[3].x, (std::vector<double>{9}));
  EXPECT_EQ(curves[3].y, (std::vector<double>{0.4}));
}

TEST(TrainingCurvesTest, SayWhenThereIsNothingToDraw) {
  EXPECT_THROW(training_curves({}), InvalidArgument);
  EXPECT_THROW(training_curves({{0, Logs({{"learning_rate", 0.1}})}}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::report

#include "tandem/report/classification_plots.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tandem/testing/message_of.h"

namespace tandem::report {
namespace {

using testing::message_of;

struct Scored {
  Tensor y = at::tensor({0, 1, 2, 2}),
         p = at::tensor({0.7F, 0.2F, 0.1F, 0.3F, 0.6F, 0.1F, 0.1F, 0.2F, 0.7F, 0.5F, 0.3F, 0.2F}).view({4, 3});
};

TEST(ClassificationPlots, LabelEachCurveWithItsArea) {
  const Scored scored;
  const auto macro = roc_curves(metrics::roc_curve(scored.y, scored.p, {.names = {"a", "b", "c"}}));
  ASSERT_EQ(macro.size(), 5u);  // the mean, three classes, the diagonal
  EXPECT_EQ(macro[1].label, "a (AUC 1.000)");
  EXPECT_EQ(macro.back().x, (std::vector<double>{0, 1}));
  const auto precision = precision_recall_curves(metrics::precision_recall_curve(scored.y, scored.p));
  ASSERT_EQ(precision.size(), 3u);
  EXPECT_EQ(precision[2].label, "2 (AP 1.000)");
  EXPECT_EQ(precision_recall_curves(metrics::precision_recall_curve(scored.y, scored.p, {.average = "micro"})).size(),
            1u);
}

TEST(ClassificationPlots, ACellIsDarkerTheLargerItsShareOfTheRow) {
  const Scored scored;
  const auto report = metrics::classification_report(scored.y, scored.p);
  const auto picture = draw_confusion_matrix(report, {.width = 400, .height = 400});
  // A cell of a whole row is the plain colour; one of half a row is blended with white.
  const auto count = [&](uint32_t colour) { return std::count(picture.pixels.begin(), picture.pixels.end(), colour); };
  const auto dark = count(curve_colour(0));
  EXPECT_GT(dark, 2 * 50 * 50);    // two of nine cells, each more than 50 pixels wide
  const uint32_t blue = 0x80B8D8;  // half of 0x0072B2 over white, to rounding
  int64_t half = 0;
  for (const uint32_t pixel : picture.pixels) {
    bool near = true;
    for (const int shift : {0, 8, 16}) {
      const auto a = static_cast<int>(pixel >> shift & 0xFF), b = static_cast<int>(blue >> shift & 0xFF);
      near = near && std::abs(a - b) <= 2;
    }
    half += near;
  }
  EXPECT_NEAR(static_cast<double>(half), static_cast<double>(dark), 0.2 * static_cast<double>(dark));
}

TEST(ClassificationPlots, WriteFilesAndRefuseWhatCannotBeDrawn) {
  const Scored scored;
  const auto path = std::filesystem::temp_directory_path() / ("tandem_roc_" + std::to_string(getpid()) + ".svg");
  plot_roc(metrics::roc_curve(scored.y, scored.p), path.string());
  EXPECT_GT(std::filesystem::file_size(path), 1000u);
  std::filesystem::remove(path);
  EXPECT_EQ(message_of([] { draw_confusion_matrix({}); }),
            "plot_confusion_matrix: a report must have classes and their matrix");
}

}  // namespace
}  // namespace tandem::report

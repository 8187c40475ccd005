#include "tandem/report/diagram.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::report {
namespace {

const Diagram kTriangle{.nodes = {{"a (Input)", {"(None, 8)"}}, {"b (Dense)", {"(None, 4)"}}, {"c (Add)"}},
                        .edges = {{0, 1}, {0, 2}, {1, 2}}};

// Rows of pixels that hold the fill of a box, as runs.
int64_t rows_of_boxes(const Picture& picture) {
  int64_t runs = 0;
  bool inside = false;
  for (int64_t y = 0; y < picture.height; ++y) {
    bool filled = false;
    for (int64_t x = 0; x < picture.width; ++x) filled = filled || picture.at(x, y) == 0xEEF4F9;
    runs += filled && !inside;
    inside = filled;
  }
  return runs;
}

TEST(DiagramTest, DrawsABoxANodeInRows) {
  EXPECT_EQ(rows_of_boxes(draw_diagram(kTriangle)), 3);
  EXPECT_EQ(rows_of_boxes(draw_diagram({.nodes = {{"alone"}}, .edges = {}})), 1);
}

TEST(DiagramTest, LongerTextsMakeWiderBoxes) {
  const auto short_text = draw_diagram({.nodes = {{"a"}}, .edges = {}});
  const auto long_text = draw_diagram({.nodes = {{"a", {"a much longer line below the heading"}}}, .edges = {}});
  EXPECT_GT(long_text.width, short_text.width + 100);
  EXPECT_EQ(long_text.height, short_text.height + 15);
}

TEST(DiagramTest, TheEndingChoosesTheFormatAndBytesAreTheSame) {
  std::string folder = (std::filesystem::temp_directory_path() / "tandem_diagram_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto written = [&](const std::string& name) {
    write_diagram(kTriangle, folder + "/" + name);
    std::ifstream in(folder + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto png = written("d.png");
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  const auto width = static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]);
  EXPECT_EQ(width, 2 * draw_diagram(kTriangle).width);
  EXPECT_NE(written("d.svg").find("<svg"), std::string::npos);
  EXPECT_TRUE(written("d.pdf").starts_with("%PDF"));
  for (const char* name : {"d.png", "d.svg", "d.pdf"}) EXPECT_EQ(written(name), written(name)) << name;
  EXPECT_THROW(written("d.gif"), InvalidArgument);
  EXPECT_THROW(written("no/d.svg"), DataError);
  std::filesystem::remove_all(folder);
}

// 3,000 boxes below one another are 150,000 points high; Cairo draws 32,767 pixels.
TEST(DiagramTest, ALargePictureGetsFewerPixelsAPoint) {
  Diagram diagram;
  for (std::size_t i = 0; i < 3000; ++i) {
    diagram.nodes.push_back({"x"});
    if (i > 0) diagram.edges.push_back({i - 1, i});
  }
  const auto path = std::filesystem::temp_directory_path() / ("tandem_large_" + std::to_string(::getpid()) + ".png");
  write_diagram(diagram, path.string());
  EXPECT_GT(std::filesystem::file_size(path), 1000u);
  std::filesystem::remove(path);
}

TEST(DiagramTest, RefusesWhatCannotBeDrawn) {
  EXPECT_EQ(testing::message_of([] { draw_diagram({}); }), "a diagram needs at least one node; received none");
  EXPECT_THROW(draw_diagram({.nodes = {{"a"}}, .edges = {{0, 1}}}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::report

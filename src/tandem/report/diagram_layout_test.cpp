#include "tandem/report/diagram_layout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tandem/report/diagram_layers.h"
#include "tandem/testing/message_of.h"

namespace tandem::report {
namespace {

std::vector<std::size_t> node_rows(std::size_t nodes, const std::vector<DiagramEdge>& edges) {
  const auto layers = diagram_layers(nodes, edges);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < nodes; ++i) rows.push_back(layers.vertices[i].row);
  return rows;
}

TEST(DiagramLayersTest, ANodeStandsBelowAllThatLeadsToIt) {
  // A skip from 0 to 3 beside 0 - 1 - 2 - 3, and a second input, 4 -> 5, just above where it is used.
  EXPECT_EQ(node_rows(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(node_rows(5, {{0, 2}, {2, 3}, {3, 4}, {1, 4}}), (std::vector<std::size_t>{0, 2, 1, 2, 3}));
  EXPECT_EQ(node_rows(2, {}), (std::vector<std::size_t>{0, 0}));
}

TEST(DiagramLayersTest, LongEdgesBendInEveryRowTheyPass) {
  const auto layers = diagram_layers(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  EXPECT_EQ(layers.vertices.size(), 6u);
  ASSERT_EQ(layers.paths[3].size(), 4u);
  EXPECT_EQ(layers.paths[3].front(), 0u);
  EXPECT_EQ(layers.paths[3].back(), 3u);
}

TEST(DiagramLayersTest, EdgesThatNeedNotCrossDoNot) {
  // Three pairs joined across: 0, 1, 2 above 5, 4, 3.
  EXPECT_EQ(crossings(diagram_layers(6, {{0, 5}, {1, 4}, {2, 3}})), 0);
  // All of two with all of two: one crossing is the least.
  EXPECT_EQ(crossings(diagram_layers(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}})), 1);
}

// As listed 1 and 2 would point up; no circle makes them.
TEST(DiagramLayersTest, TheOrderOfTheNodesDoesNotMatter) {
  EXPECT_EQ(node_rows(4, {{3, 2}, {2, 1}, {1, 0}}), (std::vector<std::size_t>{3, 2, 1, 0}));
  EXPECT_EQ(node_rows(4, {{0, 1}, {2, 1}, {1, 3}}), (std::vector<std::size_t>{0, 1, 0, 2}));
}

TEST(DiagramLayersTest, OneEdgeOfACircleRunsUp) {
  EXPECT_EQ(node_rows(3, {{0, 1}, {1, 2}, {2, 1}}), (std::vector<std::size_t>{0, 1, 2}));
  const auto layers = diagram_layers(2, {{0, 1}, {1, 0}, {1, 1}});
  EXPECT_EQ(layers.paths[1], (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(layers.paths[2], (std::vector<std::size_t>{1}));
}

TEST(DiagramLayersTest, RefusesAnEdgeOfNoNode) {
  EXPECT_EQ(testing::message_of([] {
              diagram_layers(2, {{0, 2}});
            }),
            "a diagram's edges must be between its 2 nodes; received one from 0 to 2");
}

TEST(LayOutTest, AChainStandsInOneColumn) {
  const auto layout = lay_out({{40, 20}, {100, 30}, {60, 20}}, {{0, 1}, {1, 2}});
  for (const Box& box : layout.boxes) EXPECT_NEAR(box.x + box.width / 2, layout.width / 2, 1e-6);
  for (std::size_t i = 0; i < 2; ++i) {
    const Point tip = layout.arrows[i].back();
    EXPECT_NEAR(tip.y, layout.boxes[i + 1].y, 1e-9);
    EXPECT_NEAR(layout.arrows[i].front().y, layout.boxes[i].y + layout.boxes[i].height, 1e-9);
  }
  EXPECT_NEAR(layout.boxes[2].y + layout.boxes[2].height + layout.boxes[0].y, layout.height, 1e-9);
}

TEST(LayOutTest, ARowsBoxesStandAroundTheMiddleOfWhatJoinsThem) {
  const auto layout = lay_out({{50, 20}, {80, 20}, {80, 20}, {50, 20}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const auto middle = [&](std::size_t i) { return layout.boxes[i].x + layout.boxes[i].width / 2; };
  EXPECT_NEAR(middle(0), (middle(1) + middle(2)) / 2, 0.5);
  EXPECT_NEAR(middle(3), middle(0), 0.5);
}

// Boxes of many sizes, edges by a formula: no two boxes overlap, and all is inside.
TEST(LayOutTest, NothingOverlapsOrSticksOut) {
  std::vector<BoxSize> sizes;
  std::vector<DiagramEdge> edges;
  for (std::size_t i = 0; i < 60; ++i) {
    sizes.push_back({40.0 + 17 * static_cast<double>(i % 7), 20.0 + 5 * static_cast<double>(i % 4)});
    if (i > 0) edges.push_back({i * 7 % i, i});
    if (i > 3) edges.push_back({i / 2, i});
    if (i > 9) edges.push_back({i - 9, i});
  }
  edges.push_back({50, 3});
  edges.push_back({20, 20});
  const auto layout = lay_out(sizes, edges);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Box& a = layout.boxes[i];
    EXPECT_GE(a.x, 0);
    EXPECT_LE(a.x + a.width, layout.width);
    EXPECT_LE(a.y + a.height, layout.height);
    for (std::size_t j = 0; j < i; ++j) {
      const Box& b = layout.boxes[j];
      const bool apart = a.x + a.width < b.x || b.x + b.width < a.x || a.y + a.height < b.y || b.y + b.height < a.y;
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& line = layout.arrows[i];
    ASSERT_GE(line.size(), 2u);
    EXPECT_TRUE(layout.boxes[edges[i].from].contains(line.front())) << i;
    EXPECT_TRUE(layout.boxes[edges[i].to].contains(line.back())) << i;
    for (const Point point : line) {
      EXPECT_GE(point.x, 0);
      EXPECT_LE(point.x, layout.width);
    }
  }
}

}  // namespace
}  // namespace tandem::report

#include "tandem/core/catalog.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Maker = int (*)(int);
const Catalog<Maker> kShapes("shape", {{"square", [](int n) { return n * n; }},
                                       {"quadrate", [](int n) { return n * n; }},
                                       {"line", [](int n) { return n; }}});

TEST(Catalog, FindsEachName) {
  EXPECT_EQ(kShapes.at("square")(3), 9);
  EXPECT_EQ(kShapes.at("quadrate")(4), 16);
  EXPECT_EQ(kShapes.at("line")(3), 3);
  EXPECT_TRUE(kShapes.contains("line"));
  EXPECT_FALSE(kShapes.contains("Line"));
  EXPECT_EQ(kShapes.names(), (std::vector<std::string>{"square", "quadrate", "line"}));
}

TEST(Catalog, ProposesTheNearestName) {
  try {
    kShapes.at("sqare");
    FAIL() << "must throw";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "shape 'sqare' is not known; did you mean 'square'?");
  }
}

}  // namespace
}  // namespace tandem

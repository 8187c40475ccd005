#include "tandem/core/shape.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tandem/core/error.h"

namespace tandem {
namespace {

constexpr int64_t kAny = Shape::kUnknown;

TEST(Shape, PrintsAsKeras) {
  EXPECT_EQ((Shape{kAny, 32, 32, 3}).to_string(), "(None, 32, 32, 3)");
  EXPECT_EQ(Shape{5}.to_string(), "(5,)");
  EXPECT_EQ(Shape().to_string(), "()");
  std::ostringstream out;
  out << Shape{2, kAny};
  EXPECT_EQ(out.str(), "(2, None)");
}

TEST(Shape, IndexesFromBothEnds) {
  Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_EQ(shape.back(), 4);
  shape[-2] = 7;
  EXPECT_EQ(shape, (Shape{2, 7, 4}));
  EXPECT_THROW(shape[3], InvalidArgument);
  EXPECT_THROW(shape[-4], InvalidArgument);
  EXPECT_THROW(Shape().back(), InvalidArgument);
}

TEST(Shape, CountsElementsWhenKnown) {
  EXPECT_EQ((Shape{2, 3, 4}).count(), 24);
  EXPECT_EQ(Shape().count(), 1);
  EXPECT_EQ((Shape{0, 3}).count(), 0);
  EXPECT_TRUE((Shape{2, 3}).is_known());
  EXPECT_FALSE((Shape{kAny, 3}).is_known());
  EXPECT_THROW((Shape{kAny, 3}).count(), InvalidArgument);
}

TEST(Shape, TakesTheBatchOffAndPutsItOn) {
  EXPECT_EQ((Shape{kAny, 8, 3}).without_batch(), (Shape{8, 3}));
  EXPECT_EQ((Shape{8, 3}).with_batch(), (Shape{kAny, 8, 3}));
  EXPECT_EQ(Shape().with_batch(4), Shape{4});
  EXPECT_THROW(Shape().without_batch(), InvalidArgument);
}

TEST(Shape, MatchesWhereEitherIsUnknown) {
  EXPECT_TRUE((Shape{kAny, 3}).matches({5, 3}));
  EXPECT_TRUE((Shape{5, 3}).matches({kAny, 3}));
  EXPECT_TRUE((Shape{5, kAny}).matches({kAny, 3}));
  EXPECT_FALSE((Shape{5, 3}).matches({5, 4}));
  EXPECT_FALSE((Shape{5, 3}).matches({5, 3, 1}));
}

}  // namespace
}  // namespace tandem

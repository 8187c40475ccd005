#include "tandem/report/text_width.h"

#include <gtest/gtest.h>

namespace tandem::report {
namespace {

TEST(TextWidthTest, CountsCellsNotBytes) {
  EXPECT_EQ(text_width("conv2d_1"), 8);
  EXPECT_EQ(text_width("café"), 4);
  EXPECT_EQ(text_width("cafe\u0301"), 4);
  EXPECT_EQ(text_width("層一"), 4);
  EXPECT_EQ(text_width("━━"), 2);
  EXPECT_EQ(text_width("\U0001F600"), 2);
  EXPECT_EQ(text_width(""), 0);
}

TEST(TextWidthTest, ShortensToTheWidth) {
  EXPECT_EQ(shorten("batch_normalization", 19), "batch_normalization");
  EXPECT_EQ(shorten("batch_normalization", 8), "batch_n…");
  EXPECT_EQ(shorten("層層層", 4), "層… ");
  EXPECT_EQ(shorten("abc", 1), "…");
  EXPECT_EQ(shorten("abc", 0), "");
}

}  // namespace
}  // namespace tandem::report

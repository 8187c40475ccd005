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

TEST(TextWidthTest, DecodesAndEncodesEveryLength) {
  const std::string text = "aé層\U0001F600";
  EXPECT_EQ(decode_utf8(text), (std::vector<char32_t>{'a', 0xE9, 0x5C64, 0x1F600}));
  EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
}

TEST(TextWidthTest, BadBytesBecomeTheReplacementCharacter) {
  const auto bad = [](std::string_view text) { return decode_utf8(text); };
  EXPECT_EQ(bad("a\xff"), (std::vector<char32_t>{'a', 0xFFFD}));
  EXPECT_EQ(bad("\xe5\xb1"), (std::vector<char32_t>{0xFFFD, 0xFFFD}));  // cut off
  EXPECT_EQ(bad("\xc0\x80"), (std::vector<char32_t>{0xFFFD, 0xFFFD}));  // longer than needed
  EXPECT_EQ(bad("\xed\xa0\x80").front(), 0xFFFDu);                      // surrogate
  EXPECT_EQ(bad("\xf4\x90\x80\x80").front(), 0xFFFDu);                  // past the end of Unicode
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

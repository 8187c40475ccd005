#include "tandem/core/utf8.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Utf8, DecodesAndEncodesEveryLength) {
  const std::string text = "aé層\U0001F600";
  EXPECT_EQ(decode_utf8(text), (std::vector<char32_t>{'a', 0xE9, 0x5C64, 0x1F600}));
  EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
}

TEST(Utf8, BadBytesBecomeTheReplacementCharacter) {
  const auto bad = [](std::string_view text) { return decode_utf8(text); };
  EXPECT_EQ(bad("a\xff"), (std::vector<char32_t>{'a', 0xFFFD}));
  EXPECT_EQ(bad("\xe5\xb1"), (std::vector<char32_t>{0xFFFD, 0xFFFD}));  // cut off
  EXPECT_EQ(bad("\xc0\x80"), (std::vector<char32_t>{0xFFFD, 0xFFFD}));  // longer than needed
  EXPECT_EQ(bad("\xed\xa0\x80").front(), 0xFFFDu);                      // surrogate
  EXPECT_EQ(bad("\xf4\x90\x80\x80").front(), 0xFFFDu);                  // past the end of Unicode
}

}  // namespace
}  // namespace tandem

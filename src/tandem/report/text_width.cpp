#include "tandem/report/text_width.h"

#include <algorithm>
#include <array>

#include "tandem/core/utf8.h"

namespace tandem::report {
namespace {

struct Block {
  char32_t first, last;
};

// The blocks of Unicode's EastAsianWidth W and F, and of emoji, that names and labels may hold.
constexpr std::array kWide = {
    Block{0x1100, 0x115F},   Block{0x2E80, 0x303E},   Block{0x3041, 0x33FF},   Block{0x3400, 0x4DBF},
    Block{0x4E00, 0x9FFF},   Block{0xA000, 0xA4CF},   Block{0xA960, 0xA97C},   Block{0xAC00, 0xD7A3},
    Block{0xF900, 0xFAFF},   Block{0xFE30, 0xFE6F},   Block{0xFF01, 0xFF60},   Block{0xFFE0, 0xFFE6},
    Block{0x1F300, 0x1F64F}, Block{0x1F680, 0x1F6FF}, Block{0x1F900, 0x1F9FF}, Block{0x20000, 0x2FFFD},
    Block{0x30000, 0x3FFFD},
};
constexpr std::array kZero = {
    Block{0x0000, 0x001F}, Block{0x007F, 0x009F}, Block{0x0300, 0x036F}, Block{0x1AB0, 0x1AFF}, Block{0x1DC0, 0x1DFF},
    Block{0x200B, 0x200F}, Block{0x20D0, 0x20FF}, Block{0xFE00, 0xFE0F}, Block{0xFE20, 0xFE2F}, Block{0xFEFF, 0xFEFF},
};

template <std::size_t n>
bool is_in(const std::array<Block, n>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Block r) { return r.first <= c && c <= r.last; });
}

}  // namespace

int64_t character_width(char32_t character) {
  if (character >= 0x20 && character < 0x7F) return 1;
  return is_in(kZero, character) ? 0 : is_in(kWide, character) ? 2 : 1;
}

int64_t text_width(std::string_view text) {
  int64_t width = 0;
  for (const char32_t c : decode_utf8(text)) width += character_width(c);
  return width;
}

std::string shorten(std::string_view text, int64_t width) {
  auto characters = decode_utf8(text);
  int64_t total = 0;
  for (const char32_t c : characters) total += character_width(c);
  if (total <= width) return encode_utf8(characters);
  if (width <= 0) return {};
  while (total > width - 1) {
    total -= character_width(characters.back());
    characters.pop_back();
  }
  std::string out = encode_utf8(characters) + "…";
  out.append(static_cast<std::size_t>(width - 1 - total), ' ');  // half of a wide character was left
  return out;
}

}  // namespace tandem::report

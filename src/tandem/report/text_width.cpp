#include "tandem/report/text_width.h"

#include <algorithm>
#include <array>

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

constexpr char32_t kReplacement = 0xFFFD;

}  // namespace

std::vector<char32_t> decode_utf8(std::string_view text) {
  std::vector<char32_t> out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80           ? 1
                               : (lead >> 5) == 0x6  ? 2
                               : (lead >> 4) == 0xE  ? 3
                               : (lead >> 3) == 0x1E ? 4
                                                     : 0;
    char32_t c = length <= 1 ? lead : lead & (0xFFu >> (length + 1));
    bool valid = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; valid && k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      valid = (byte >> 6) == 0x2;
      c = (c << 6) | (byte & 0x3F);
    }
    // Longer forms of short characters, surrogates and numbers past the end of Unicode are not UTF-8.
    constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    valid = valid && c >= kSmallest[length] && !(c >= 0xD800 && c <= 0xDFFF) && c <= 0x10FFFF;
    out.push_back(valid ? c : kReplacement);
    i += valid ? length : 1;
  }
  return out;
}

std::string encode_utf8(const std::vector<char32_t>& characters) {
  std::string out;
  out.reserve(characters.size());
  const auto tail = [&](char32_t c, int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  for (const char32_t c : characters) {
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xC0 | (c >> 6));
      tail(c, 0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xE0 | (c >> 12));
      tail(c, 6);
      tail(c, 0);
    } else {
      out += static_cast<char>(0xF0 | (c >> 18));
      tail(c, 12);
      tail(c, 6);
      tail(c, 0);
    }
  }
  return out;
}

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

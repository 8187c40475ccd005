#include "tandem/core/utf8.h"

#include <array>
#include <cstddef>

namespace tandem {
namespace {

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

}  // namespace tandem

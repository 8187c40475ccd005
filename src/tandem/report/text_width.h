#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::report {

/// The characters of UTF-8 text as code points; bytes that are not UTF-8 become U+FFFD.
std::vector<char32_t> decode_utf8(std::string_view text);
std::string encode_utf8(const std::vector<char32_t>& characters);

/// Cells that one character takes in a terminal: 0 for combining marks and control characters, 2 for East Asian wide
/// characters and emoji, else 1.
int64_t character_width(char32_t character);

/// Cells that `text` (UTF-8, no escape codes) takes in a terminal.
int64_t text_width(std::string_view text);

/// `text` if it takes at most `width` cells, else its beginning with an ellipsis, together `width` cells.
std::string shorten(std::string_view text, int64_t width);

}  // namespace tandem::report

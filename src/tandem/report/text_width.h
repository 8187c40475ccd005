#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tandem::report {

/// Cells that one character takes in a terminal: 0 for combining marks and control characters, 2 for East Asian wide
/// characters and emoji, else 1.
int64_t character_width(char32_t character);

/// Cells that `text` (UTF-8, no escape codes) takes in a terminal.
int64_t text_width(std::string_view text);

/// `text` if it takes at most `width` cells, else its beginning with an ellipsis, together `width` cells.
std::string shorten(std::string_view text, int64_t width);

}  // namespace tandem::report

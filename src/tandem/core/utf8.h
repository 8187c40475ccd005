#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The characters of UTF-8 text as code points; bytes that are not UTF-8 become U+FFFD.
std::vector<char32_t> decode_utf8(std::string_view text);
std::string encode_utf8(const std::vector<char32_t>& characters);

}  // namespace tandem

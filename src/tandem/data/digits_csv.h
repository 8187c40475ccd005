#pragma once
#include <string>

namespace tandem::data {

/// The built-in file of digits, unpacked. Each line: 64 pixels, row by row, then the label.
std::string digits_csv();

}  // namespace tandem::data

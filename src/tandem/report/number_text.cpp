#include "tandem/report/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tandem::report {
namespace {

// Longest: the 309 digits of the largest double, a sign, a point and the digits asked for.
using Buffer = std::array<char, 512>;

template <typename... Format>
std::string text_of(double value, Format... format) {
  if (std::isnan(value)) return "nan";
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...).ptr;
  return {buffer.data(), end};
}

}  // namespace

std::string fixed_text(double value, int digits) { return text_of(value, std::chars_format::fixed, digits); }
std::string scientific_text(double value, int digits) { return text_of(value, std::chars_format::scientific, digits); }
std::string shortest_text(double value) { return text_of(value); }

}  // namespace tandem::report

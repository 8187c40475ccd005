#include "numbers.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace tandem::cli {
namespace {

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number number = 0;
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most) {
  const auto check = [least, most](std::string& text) {
    const auto number = parse<int64_t>(text);
    if (number && *number >= least && *number <= most) {
      text = std::to_string(*number);
      return std::string();
    }
    const bool bounded = most != std::numeric_limits<int64_t>::max();
    return c10::str("must be a whole number ",
                    bounded ? c10::str("from ", least, " to ", most) : c10::str("of at least ", least), ", got '", text,
                    "'");
  };
  return CLI::Validator(check, "");
}

CLI::Validator real_number(double least, double most) {
  const auto check = [least, most](std::string& text) {
    const auto number = parse<double>(text);
    if (number && std::isfinite(*number) && *number >= least && *number <= most) return std::string();
    return c10::str("must be a finite number ",
                    std::isfinite(most) ? c10::str("from ", least, " to ", most) : c10::str("of at least ", least),
                    ", got '", text, "'");
  };
  return CLI::Validator(check, "");
}

}  // namespace tandem::cli

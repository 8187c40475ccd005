#include "tandem/callbacks/file_pattern.h"

#include <c10/util/StringUtil.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "tandem/core/error.h"
#include "tandem/core/python_text.h"
#include "tandem/report/number_text.h"

namespace tandem {
namespace {

constexpr int64_t kMostDigits = 100, kWidest = 255;  // no file name is longer
constexpr int64_t kDefaultDigits = 6;                // Python's, of f, e and g

bool is_whole(const std::string& field) { return field == "epoch" || field == "batch"; }

// Takes the number at `spec[at]`; `fallback` where there is none.
int64_t take_number(const std::string& spec, std::size_t& at, int64_t fallback) {
  if (at >= spec.size() || spec[at] == '-') return fallback;
  int64_t number = fallback;
  const auto* begin = spec.data() + at;
  const auto [end, error] = std::from_chars(begin, spec.data() + spec.size(), number);
  at += static_cast<std::size_t>(end - begin);
  return error == std::errc::result_out_of_range ? std::numeric_limits<int64_t>::max() : number;
}

std::string general_text(double value, int64_t digits) {
  if (!std::isfinite(value)) return python_text(value);
  std::array<char, 128> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general,
                                 static_cast<int>(digits))
                       .ptr;
  return {buffer.data(), end};
}

// Zeros go between the sign and the digits.
std::string padded(std::string text, bool zeros, int64_t width) {
  const auto missing = width - static_cast<int64_t>(text.size());
  if (missing <= 0) return text;
  text.insert(zeros && text.front() == '-' ? 1 : 0, static_cast<std::size_t>(missing), zeros ? '0' : ' ');
  return text;
}

}  // namespace

FilePattern::FilePattern(std::string where, std::string text) : where_(std::move(where)), text_(std::move(text)) {
  std::string plain;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    if ((c == '{' || c == '}') && i + 1 < text_.size() && text_[i + 1] == c) {
      plain += c;
      ++i;
    } else if (c == '{') {
      const auto end = text_.find_first_of("{}", i + 1);
      if (end == std::string::npos || text_[end] == '{') refuse("a '{' must be closed by a '}', or doubled");
      pieces_.push_back({plain, parse_field(text_.substr(i + 1, end - i - 1))});
      plain.clear();
      i = end;
    } else if (c == '}') {
      refuse("a '}' must follow a '{', or be doubled");
    } else {
      plain += c;
    }
  }
  pieces_.push_back({plain, {}});
}

void FilePattern::refuse(const std::string& why) const {
  throw InvalidArgument(c10::str(where_, ": file name '", text_, "': ", why));
}

FilePattern::Field FilePattern::parse_field(const std::string& content) const {
  Field field;
  const auto colon = content.find(':');
  field.name = content.substr(0, colon);
  if (field.name.empty()) refuse("a field must have a name, got '{" + content + "}'");
  if (colon == std::string::npos) return field;
  const std::string spec = content.substr(colon + 1);
  std::size_t at = 0;
  if (at < spec.size() && spec[at] == '0') {
    field.zeros = true;
    ++at;
  }
  field.width = take_number(spec, at, 0);
  if (at < spec.size() && spec[at] == '.') {
    field.digits = take_number(spec, ++at, -1);
    if (field.digits < 0) --at;  // a point without digits
  }
  if (at < spec.size() && std::string_view("dfeg").find(spec[at]) != std::string_view::npos) field.type = spec[at++];
  if (at != spec.size())
    refuse("a format must be [0][width][.digits][d, f, e or g], got '" + spec + "' of field '" + field.name + "'");
  if (field.type == 'd' && !is_whole(field.name))
    refuse("format d is for epoch and batch, field '" + field.name + "' is a real: use f, e or g");
  if (field.digits >= 0 && (field.type == 0 || field.type == 'd'))
    refuse("digits after the point need f, e or g, got '" + spec + "' of field '" + field.name + "'");
  if (field.width > kWidest || field.digits > kMostDigits)
    refuse("field '" + field.name + "' must be at most 255 wide with 100 digits, got '" + spec + "'");
  return field;
}

std::string FilePattern::fill(int64_t epoch, std::optional<int64_t> batch, const Logs& logs) const {
  std::string name;
  for (const auto& [before, field] : pieces_) {
    name += before;
    if (field.name.empty()) continue;
    std::optional<int64_t> whole;
    double value = 0;
    if (field.name == "epoch") {
      whole = epoch;
    } else if (logs.contains(field.name)) {
      value = logs[field.name];
    } else if (field.name == "batch" && batch) {
      whole = batch;
    } else {
      std::vector<std::string> known = {"epoch"};
      if (batch) known.emplace_back("batch");
      for (const auto& [log, ignored] : logs) known.push_back(log);
      throw_unknown_name(c10::str(where_, ": file name '", text_, "': field"), field.name, known);
    }
    if (whole) value = static_cast<double>(*whole);
    const auto digits = static_cast<int>(field.digits < 0 ? kDefaultDigits : field.digits);
    std::string text;
    switch (field.type) {
      case 'f':
        text = report::fixed_text(value, digits);
        break;
      case 'e':
        text = report::scientific_text(value, digits);
        break;
      case 'g':
        text = general_text(value, digits);
        break;
      default:
        text = whole ? std::to_string(*whole) : python_text(value);
    }
    name += padded(std::move(text), field.zeros, field.width);
  }
  return name;
}

}  // namespace tandem

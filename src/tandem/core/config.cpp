#include "tandem/core/config.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <unordered_map>

#include "tandem/core/error.h"
#include "tandem/core/python_text.h"

namespace tandem {
namespace {

constexpr std::size_t kLongestShown = 80;  // bytes

// Appends the value until the text is longer than what is shown.
void append_shown(std::string& text, const Config& value) {
  if (value.is_null()) {
    text += "null";
  } else if (value.is_bool()) {
    text += value.as_bool() ? "true" : "false";
  } else if (value.is_int()) {
    text += std::to_string(value.as_int());
  } else if (value.is_string()) {
    text += '"' + value.as_string() + '"';
  } else if (value.is_number()) {
    text += python_text(value.as_double());
  } else if (value.is_list()) {
    const char* before = "[";
    for (const auto& item : value.as_list()) {
      if (text.size() > kLongestShown) return;
      text += before;
      append_shown(text, item);
      before = ",";
    }
    text += value.as_list().empty() ? "[]" : "]";
  } else {
    const char* before = "{\"";
    for (const auto& [key, member] : value.as_object()) {
      if (text.size() > kLongestShown) return;
      text += before + key + "\":";
      append_shown(text, member);
      before = ",\"";
    }
    text += value.as_object().empty() ? "{}" : "}";
  }
}

[[noreturn]] void throw_kind(const char* expected, const Config& got) {
  throw DataError(c10::str("config: must be ", expected, ", got ", got.shown()));
}

// A repeated key keeps its first place and takes its last value, as in Python.
Config::Object without_repeats(Config::Object members) {
  std::unordered_map<std::string_view, std::size_t> places;
  bool repeats = false;
  for (const auto& [key, value] : members) repeats |= !places.emplace(key, places.size()).second;
  if (!repeats) return members;

  Config::Object unique(places.size());
  for (auto& [key, value] : members) {
    auto& [unique_key, unique_value] = unique[places.at(key)];
    unique_key = key;
    unique_value = std::move(value);
  }
  return unique;
}

}  // namespace

Config Config::object(Object members) {
  Config config;
  config.value_ = without_repeats(std::move(members));
  return config;
}

Config Config::list(const std::vector<int64_t>& values) { return List(values.begin(), values.end()); }

bool Config::as_bool() const {
  if (const auto* value = std::get_if<bool>(&value_)) return *value;
  throw_kind("true or false", *this);
}

int64_t Config::as_int() const {
  if (const auto* value = std::get_if<int64_t>(&value_)) return *value;
  if (const auto* value = std::get_if<double>(&value_)) {
    if (*value == std::floor(*value) && *value >= -0x1p63 && *value < 0x1p63) return static_cast<int64_t>(*value);
  }
  throw_kind("a whole number", *this);
}

double Config::as_double() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<int64_t>(&value_)) return static_cast<double>(*value);
  throw_kind("a number", *this);
}

const std::string& Config::as_string() const {
  if (const auto* value = std::get_if<std::string>(&value_)) return *value;
  throw_kind("a text", *this);
}

const Config::List& Config::as_list() const {
  if (const auto* value = std::get_if<List>(&value_)) return *value;
  throw_kind("a list", *this);
}

const Config::Object& Config::as_object() const {
  if (const auto* value = std::get_if<Object>(&value_)) return *value;
  throw_kind("an object", *this);
}

std::vector<int64_t> Config::as_ints() const {
  std::vector<int64_t> values;
  for (const auto& item : as_list()) values.push_back(item.as_int());
  return values;
}

bool Config::contains(std::string_view key) const {
  for (const auto& [name, value] : as_object()) {
    if (name == key) return true;
  }
  return false;
}

const Config& Config::at(std::string_view key) const {
  for (const auto& [name, value] : as_object()) {
    if (name == key) return value;
  }
  throw DataError(c10::str("config: member '", key, "' is missing in ", shown()));
}

Config Config::get(std::string_view key, Config fallback) const {
  for (const auto& [name, value] : as_object()) {
    if (name == key) return value;
  }
  return fallback;
}

Config& Config::set(std::string_view key, Config value) {
  if (is_null()) value_ = Object();
  if (!is_object()) throw_kind("an object", *this);
  auto& members = std::get<Object>(value_);
  for (auto& [name, old] : members) {
    if (name == key) {
      old = std::move(value);
      return *this;
    }
  }
  members.emplace_back(key, std::move(value));
  return *this;
}

std::string Config::shown() const {
  std::string text;
  append_shown(text, *this);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  if (text.size() <= kLongestShown) return text;
  auto end = kLongestShown - 3;
  while ((text[end] & 0xC0) == 0x80) --end;  // no part of a character
  return text.substr(0, end) + "...";
}

}  // namespace tandem

#include "tandem/core/config.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <unordered_map>

#include "tandem/core/error.h"
#include "tandem/core/json_reader.h"
#include "tandem/core/json_writer.h"

namespace tandem {
namespace {

// The value as an error message shows it.
std::string shown(const Config& value) {
  std::string text;
  try {
    text = value.to_json();
  } catch (const DataError&) {
    text = value.is_number() ? "a number that is not finite" : "a value that has no JSON form";
  }
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

[[noreturn]] void throw_kind(const char* expected, const Config& got) {
  throw DataError(c10::str("config: must be ", expected, ", got ", shown(got)));
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
  throw DataError(c10::str("config: member '", key, "' is missing in ", shown(*this)));
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

std::string Config::to_json(int indent) const { return write_json(*this, indent); }

Config Config::from_json(std::string_view text) { return read_json(text); }

}  // namespace tandem

#include "tandem/core/config.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "tandem/core/error.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 200;  // levels: reading, writing and destroying recurse once a level

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

std::string child(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

Json to_tree(const Config& value, const std::string& path, std::size_t depth) {
  const auto where = [&] { return path.empty() ? std::string("config: ") : "config: member '" + path + "': "; };
  if (depth > kDeepest) throw DataError(c10::str(where(), "must not nest deeper than ", kDeepest, " levels"));
  if (value.is_null()) return nullptr;
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_string()) return value.as_string();
  if (value.is_number()) {
    const double number = value.as_double();
    if (!std::isfinite(number)) throw DataError(c10::str(where(), "must be finite to be written as JSON, is ", number));
    return number;
  }
  if (value.is_list()) {
    Json tree = Json::array();
    std::size_t i = 0;
    for (const auto& item : value.as_list()) tree.push_back(to_tree(item, c10::str(path, "[", i++, "]"), depth + 1));
    return tree;
  }
  Json tree = Json::object();
  auto& members = tree.get_ref<Json::object_t&>();
  for (const auto& [key, member] : value.as_object())
    members.emplace_back(key, to_tree(member, child(path, key), depth + 1));
  return tree;
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

/// Receives the parser's events and builds the value, so that no second tree is made on the way.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Config take() { return std::move(root_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(INT64_MAX)) too_large(std::to_string(value));
    return add(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& digits) override {
    if (digits.find_first_of(".eE") == std::string::npos) too_large(digits);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { throw InternalError("JSON text holds no binary values"); }

  bool start_object(std::size_t) override { return open(true); }
  bool key(string_t& key) override {
    open_.back().key = std::move(key);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception&) override {
    throw DataError(c10::str("JSON: malformed at byte ", position, ", near '", token.substr(0, 80), "'"));
  }

 private:
  struct Level {
    bool is_object;
    std::string key;  // of the member to come
    Config::Object members;
    Config::List items;
  };

  [[noreturn]] static void too_large(const std::string& digits) {
    throw DataError(c10::str("JSON: whole numbers must fit into 64 bits with a sign, got ", digits.substr(0, 80)));
  }
  bool open(bool is_object) {
    if (open_.size() == kDeepest) throw DataError(c10::str("JSON: must not nest deeper than ", kDeepest, " levels"));
    open_.push_back({is_object, {}, {}, {}});
    return true;
  }
  bool close() {
    Level level = std::move(open_.back());
    open_.pop_back();
    return add(level.is_object ? Config::object(std::move(level.members)) : Config(std::move(level.items)));
  }
  bool add(Config value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().members.emplace_back(std::move(open_.back().key), std::move(value));
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  std::vector<Level> open_;
  Config root_;
};

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

std::string Config::to_json(int indent) const {
  try {
    return to_tree(*this, "", 0).dump(indent);
  } catch (const nlohmann::detail::type_error& error) {
    throw DataError(c10::str("config: texts must be UTF-8 to be written as JSON: ", error.what()));
  }
}

Config Config::from_json(std::string_view text) {
  Builder builder;
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace tandem

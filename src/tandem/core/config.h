#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tandem {

/// A JSON value with ordered keys: what get_config returns and files hold. Whole numbers and reals stay apart.
class Config {
 public:
  using List = std::vector<Config>;
  using Object = std::vector<std::pair<std::string, Config>>;

  Config() = default;  // null
  Config(bool value) : value_(value) {}
  Config(int value) : value_(int64_t{value}) {}
  Config(int64_t value) : value_(value) {}
  Config(double value) : value_(value) {}
  Config(const char* value) : value_(std::string(value)) {}
  Config(std::string value) : value_(std::move(value)) {}
  Config(List value) : value_(std::move(value)) {}
  static Config object(Object members = {});
  static Config list(const std::vector<int64_t>& values);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<int64_t>(value_); }
  bool is_number() const { return is_int() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  /// Each throws DataError, naming the expected kind and the value, when the value is of another kind.
  bool as_bool() const;
  int64_t as_int() const;  // also a real that is whole
  double as_double() const;
  const std::string& as_string() const;
  const List& as_list() const;
  const Object& as_object() const;
  std::vector<int64_t> as_ints() const;

  bool contains(std::string_view key) const;
  /// Member `key`; throws DataError naming it when missing.
  const Config& at(std::string_view key) const;
  /// Member `key`, or `fallback` when missing.
  Config get(std::string_view key, Config fallback) const;
  /// Sets member `key` of an object (a null becomes an object), replacing an earlier one in place.
  Config& set(std::string_view key, Config value);

  /// JSON, compact or with `indent` spaces a level. Reals are written as Python writes them, with the fewest digits
  /// that read back the same. Throws DataError, naming the member, for what JSON cannot hold: numbers that are not
  /// finite, texts that are not UTF-8, more than 200 levels.
  std::string to_json(int indent = -1) const;
  /// A repeated key keeps its first place and takes its last value, as in Python. Throws DataError with the position on
  /// malformed text. Both throw InvalidArgument in a build without nlohmann-json.
  static Config from_json(std::string_view text);
  /// For error messages, in any build: much as compact JSON, on one line of at most 80 bytes.
  std::string shown() const;

  bool operator==(const Config&) const = default;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Object> value_;
};

}  // namespace tandem

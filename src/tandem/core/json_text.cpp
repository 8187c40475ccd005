// Config to and from JSON (RFC 8259).
#include <c10/util/StringUtil.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/core/python_text.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepestJson = 200;  // levels: writing, copying and destroying recurse once a level

/// Receives the parser's events and builds the value, so that no second tree is made on the way.
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  Config take() { return std::move(root_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(INT64_MAX)) throw_too_large(std::to_string(value));
    return add(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& digits) override {
    if (digits.find_first_of(".eE") == std::string::npos) throw_too_large(digits);
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

  [[noreturn]] static void throw_too_large(const std::string& digits) {
    throw DataError(c10::str("JSON: whole numbers must fit into 64 bits with a sign, got ", digits.substr(0, 80)));
  }

  bool open(bool is_object) {
    if (open_.size() == kDeepestJson)
      throw DataError(c10::str("JSON: must not nest deeper than ", kDeepestJson, " levels"));
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

/// Lays out what the library writes one by one: its own reals are not Python's, whose texts Keras's files hold.
class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  std::string take() { return std::move(out_); }

  void write(const Config& value, const std::string& path, std::size_t depth) {
    if (depth > kDeepestJson) fail(path, c10::str("must not nest deeper than ", kDeepestJson, " levels"));
    if (value.is_null()) {
      out_ += "null";
    } else if (value.is_bool()) {
      out_ += value.as_bool() ? "true" : "false";
    } else if (value.is_int()) {
      out_ += std::to_string(value.as_int());
    } else if (value.is_string()) {
      write_text(value.as_string(), path);
    } else if (value.is_number()) {
      const double number = value.as_double();
      if (!std::isfinite(number)) fail(path, c10::str("must be finite to be written as JSON, is ", number));
      out_ += python_text(number);
    } else if (value.is_list()) {
      std::size_t i = 0;
      for (const auto& item : value.as_list()) {
        begin_item(i == 0 ? '[' : ',', depth);
        write(item, c10::str(path, "[", i++, "]"), depth + 1);
      }
      end_items("[]", i, depth);
    } else {
      std::size_t i = 0;
      for (const auto& [key, member] : value.as_object()) {
        begin_item(i++ == 0 ? '{' : ',', depth);
        write_text(key, path);
        out_ += indent_ < 0 ? ":" : ": ";
        write(member, path.empty() ? key : path + "." + key, depth + 1);
      }
      end_items("{}", i, depth);
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& path, const std::string& why) {
    throw DataError(c10::str("config: ", path.empty() ? "" : "member '" + path + "': ", why));
  }

  void write_text(const std::string& text, const std::string& path) {
    try {
      out_ += Json(text).dump();
    } catch (const Json::type_error&) {
      fail(path, "texts must be UTF-8 to be written as JSON");
    }
  }

  void begin_item(char before, std::size_t depth) {
    out_ += before;
    new_line(depth + 1);
  }

  void end_items(const char* brackets, std::size_t items, std::size_t depth) {
    if (items == 0) {
      out_ += brackets;
      return;
    }
    new_line(depth);
    out_ += brackets[1];
  }

  void new_line(std::size_t depth) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(depth * static_cast<std::size_t>(indent_), ' ');
  }

  int indent_;
  std::string out_;
};

}  // namespace

std::string Config::to_json(int indent) const {
  JsonWriter writer(indent);
  writer.write(*this, "", 0);
  return writer.take();
}

Config Config::from_json(std::string_view text) {
  JsonBuilder builder;
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace tandem

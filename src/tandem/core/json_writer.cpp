#include "tandem/core/json_writer.h"

#include <c10/util/StringUtil.h>

#include <array>
#include <charconv>
#include <cmath>

#include "tandem/core/error.h"
#include "tandem/core/json_reader.h"
#include "tandem/core/utf8.h"

namespace tandem {
namespace {

class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  std::string take() { return std::move(out_); }

  void write(const Config& value, const std::string& path, int depth) {
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
      out_ += json_real(number);
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
    if (encode_utf8(decode_utf8(text)) != text) fail(path, "texts must be UTF-8 to be written as JSON");
    out_ += json_string(text);
  }

  void begin_item(char before, int depth) {
    out_ += before;
    new_line(depth + 1);
  }

  void end_items(const char* brackets, std::size_t items, int depth) {
    if (items == 0) {
      out_ += brackets;
      return;
    }
    new_line(depth);
    out_ += brackets[1];
  }

  void new_line(int depth) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth * indent_), ' ');
  }

  int indent_;
  std::string out_;
};

}  // namespace

std::string write_json(const Config& value, int indent) {
  JsonWriter writer(indent);
  writer.write(value, "", 0);
  return writer.take();
}

std::string json_real(double value) {
  std::array<char, 32> buffer;
  // Python's rule, whose texts Keras's files hold: an exponent below 1e-4 and from 1e16 on.
  const double size = std::abs(value);
  const auto format =
      size == 0 || (size >= 1e-4 && size < 1e16) ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string json_string(std::string_view text) {
  constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t", kNames = "\"\\bfnrt", kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : encode_utf8(decode_utf8(text))) {
    const auto byte = static_cast<unsigned char>(c);
    if (const auto which = kSpecial.find(c); which != std::string_view::npos) {
      out += {'\\', kNames[which]};
    } else if (byte < 0x20) {
      out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 0xF]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace tandem

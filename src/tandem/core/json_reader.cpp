#include "tandem/core/json_reader.h"

#include <c10/util/StringUtil.h>

#include <charconv>
#include <locale>
#include <sstream>
#include <string>

#include "tandem/core/error.h"
#include "tandem/core/utf8.h"

namespace tandem {
namespace {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Config read() {
    // One pass over the encoding, so that the rest need not look at it.
    const auto valid = encode_utf8(decode_utf8(text_));
    if (valid != text_) {
      while (at_ < text_.size() && text_[at_] == valid[at_]) ++at_;
      fail();
    }
    Config value = read_value(0);
    skip_space();
    if (at_ < text_.size()) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    const auto near = at_ < text_.size() ? c10::str("near '", text_.substr(at_, 20), "'") : "at the end of the text";
    throw DataError(c10::str("JSON: malformed at byte ", at_ + 1, ", ", near));
  }

  // Zero, which no JSON text holds outside of strings, at the end.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }

  bool take(char wanted) {
    skip_space();
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail();
  }

  Config read_word(std::string_view word, Config value) {
    if (text_.substr(at_, word.size()) != word) fail();
    at_ += word.size();
    return value;
  }

  Config read_value(int depth) {
    skip_space();
    switch (peek()) {
      case '{':
      case '[':
        if (depth == kDeepestJson)
          throw DataError(c10::str("JSON: must not nest deeper than ", kDeepestJson, " levels"));
        return peek() == '{' ? read_object(depth + 1) : read_list(depth + 1);
      case '"':
        return read_text();
      case 't':
        return read_word("true", true);
      case 'f':
        return read_word("false", false);
      case 'n':
        return read_word("null", {});
      default:
        return read_number();
    }
  }

  Config read_object(int depth) {
    Config::Object members;
    expect('{');
    if (take('}')) return Config::object();
    do {
      skip_space();
      if (peek() != '"') fail();
      std::string key = read_text();
      expect(':');
      members.emplace_back(std::move(key), read_value(depth));
    } while (take(','));
    expect('}');
    return Config::object(std::move(members));
  }

  Config read_list(int depth) {
    Config::List items;
    expect('[');
    if (take(']')) return items;
    do {
      items.push_back(read_value(depth));
    } while (take(','));
    expect(']');
    return items;
  }

  std::string read_text() {
    std::string text;
    for (++at_; peek() != '"';) {
      if (at_ >= text_.size() || static_cast<unsigned char>(peek()) < 0x20) fail();
      if (peek() == '\\') {
        text += read_escape();
      } else {
        text += text_[at_++];
      }
    }
    ++at_;
    return text;
  }

  std::string read_escape() {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    ++at_;
    if (peek() == 'u') {
      ++at_;
      return encode_utf8({read_code_point()});
    }
    const auto which = peek() ? kNames.find(peek()) : std::string_view::npos;
    if (which == std::string_view::npos) fail();
    ++at_;
    return {kMeant[which]};
  }

  char32_t read_hex() {
    unsigned value = 0;
    const auto digits = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || digits.size() < 4 || end != digits.data() + 4) fail();
    at_ += 4;
    return value;
  }

  // Characters past 0xFFFF are written as two surrogates.
  char32_t read_code_point() {
    const char32_t first = read_hex();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || text_.substr(at_, 2) != "\\u") fail();
    at_ += 2;
    const char32_t second = read_hex();
    if (second < 0xDC00 || second > 0xDFFF) fail();
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  std::size_t digits_at(std::size_t at) const {
    std::size_t n = 0;
    while (at + n < text_.size() && text_[at + n] >= '0' && text_[at + n] <= '9') ++n;
    return n;
  }

  Config read_number() {
    const auto char_at = [this](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
    std::size_t end = at_ + (peek() == '-');
    const std::size_t whole = digits_at(end);
    if (whole == 0 || (whole > 1 && text_[end] == '0')) fail();
    end += whole;
    bool real = false;
    const auto take_digits = [&](std::size_t from) {
      const std::size_t n = digits_at(from);
      if (n == 0) fail();
      real = true;
      end = from + n;
    };
    if (char_at(end) == '.') take_digits(end + 1);
    if (char_at(end) == 'e' || char_at(end) == 'E') {
      take_digits(end + 1 + (char_at(end + 1) == '+' || char_at(end + 1) == '-'));
    }
    const std::string digits(text_.substr(at_, end - at_));
    const Config value = real ? Config(real_value(digits)) : Config(whole_value(digits));
    at_ = end;
    return value;
  }

  static int64_t whole_value(const std::string& digits) {
    int64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
      throw DataError(c10::str("JSON: whole numbers must fit into 64 bits with a sign, got ", digits.substr(0, 80)));
    }
    return value;
  }

  double real_value(const std::string& digits) const {
    double value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc()) return value;
    // Out of range: too small becomes zero, too large is refused. A stream tells the two apart.
    std::istringstream in(digits);
    in.imbue(std::locale::classic());
    if (!(in >> value)) fail();
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Config read_json(std::string_view text) { return JsonReader(text).read(); }

}  // namespace tandem

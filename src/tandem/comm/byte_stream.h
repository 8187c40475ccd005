#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem::comm {

/// Numbers as they lie in memory and texts behind their lengths, one after the other: what messages are made of.
class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(std::string_view text) {
    number(static_cast<uint64_t>(text.size()));
    bytes_ += text;
  }
  template <class T>
  void numbers(const std::vector<T>& values) {
    number(static_cast<uint64_t>(values.size()));
    for (const T value : values) number(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote. What is not there reads as zero or empty and makes good() false; a length is compared
/// with the bytes that are left before memory is taken.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (bytes_.size() < sizeof(value)) {
      good_ = false;
    } else {
      std::memcpy(&value, bytes_.data(), sizeof(value));
      bytes_.remove_prefix(sizeof(value));
    }
    return value;
  }
  std::string text() {
    const auto size = number<uint64_t>();
    if (size > bytes_.size()) good_ = false;
    if (!good_) return {};
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  template <class T>
  std::vector<T> numbers() {
    const auto size = number<uint64_t>();
    if (size > bytes_.size() / sizeof(T)) good_ = false;
    std::vector<T> values;
    for (uint64_t i = 0; good_ && i < size; ++i) values.push_back(number<T>());
    return values;
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace tandem::comm

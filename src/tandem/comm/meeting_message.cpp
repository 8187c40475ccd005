#include "tandem/comm/meeting_message.h"

#include <cstring>

namespace tandem::comm {
namespace {

class Writer {
 public:
  template <class T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(const std::string& text) {
    number(static_cast<uint64_t>(text.size()));
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
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
  bool good() const { return good_; }
  bool at_end() const { return good_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace

std::string encode(const MeetingRequest& request) {
  Writer to;
  to.number(request.ask);
  to.number(request.number);
  to.number(request.limit_ms);
  to.number(request.amount);
  to.text(request.value);
  to.text(request.before);
  for (const auto& key : request.keys) to.text(key);
  return to.take();
}

std::string encode(const MeetingAnswer& answer) {
  Writer to;
  to.number(answer.number);
  to.number(answer.amount);
  to.text(answer.value);
  return to.take();
}

std::optional<MeetingRequest> decode_request(std::string_view bytes) {
  Reader from(bytes);
  MeetingRequest request;
  request.ask = from.number<Ask>();
  request.number = from.number<uint64_t>();
  request.limit_ms = from.number<int64_t>();
  request.amount = from.number<int64_t>();
  request.value = from.text();
  request.before = from.text();
  while (from.good() && !from.at_end()) request.keys.push_back(from.text());
  if (!from.at_end() || request.ask > Ask::count || (request.ask != Ask::count && request.keys.empty())) return {};
  return request;
}

std::optional<MeetingAnswer> decode_answer(std::string_view bytes) {
  Reader from(bytes);
  MeetingAnswer answer;
  answer.number = from.number<uint64_t>();
  answer.amount = from.number<int64_t>();
  answer.value = from.text();
  return from.at_end() ? std::optional(answer) : std::nullopt;
}

}  // namespace tandem::comm

#include "tandem/comm/meeting_message.h"

#include "tandem/comm/byte_stream.h"

namespace tandem::comm {
std::string encode(const MeetingRequest& request) {
  ByteWriter to;
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
  ByteWriter to;
  to.number(answer.number);
  to.number(answer.amount);
  to.text(answer.value);
  return to.take();
}

std::optional<MeetingRequest> decode_request(std::string_view bytes) {
  ByteReader from(bytes);
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
  ByteReader from(bytes);
  MeetingAnswer answer;
  answer.number = from.number<uint64_t>();
  answer.amount = from.number<int64_t>();
  answer.value = from.text();
  return from.at_end() ? std::optional(answer) : std::nullopt;
}

}  // namespace tandem::comm

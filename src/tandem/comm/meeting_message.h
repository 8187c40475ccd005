#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What processes that meet ask the one where they meet, and what it answers: keys with values, as c10d::Store has
/// them.
namespace tandem::comm {

enum class Ask : uint8_t { set, get, add, check, wait, remove, compare_set, count };

struct MeetingRequest {
  Ask ask = Ask::check;
  uint64_t number = 0;      // the answer has it too
  int64_t limit_ms = 0;     // of get and wait: how long keys are waited for
  int64_t amount = 0;       // of add
  std::string value = {};   // of set, and the new one of compare_set
  std::string before = {};  // of compare_set: what must be there
  std::vector<std::string> keys = {};
};

struct MeetingAnswer {
  uint64_t number = 0;
  int64_t amount = 0;      // of add and count; of check and remove 1 or 0; of get and wait 0: the limit has passed
  std::string value = {};  // of get and compare_set
};

std::string encode(const MeetingRequest& request);
std::string encode(const MeetingAnswer& answer);
/// Nothing where the bytes are no message; takes no more memory than they have.
std::optional<MeetingRequest> decode_request(std::string_view bytes);
std::optional<MeetingAnswer> decode_answer(std::string_view bytes);

}  // namespace tandem::comm

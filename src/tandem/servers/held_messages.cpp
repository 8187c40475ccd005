#include "tandem/servers/held_messages.h"

#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/core/error.h"

namespace tandem::servers {

void HeldMessages::push(Message message, int64_t most) {
  auto& count = counts_[message.who];
  if (count >= most) throw DataError(c10::str("must send at most ", most, " messages while the servers average"));
  ++count;
  messages_.push_back(std::move(message));
}

HeldMessages::Message HeldMessages::pop() {
  auto message = std::move(messages_.front());
  messages_.pop_front();
  const auto count = counts_.find(message.who);
  if (--count->second == 0) counts_.erase(count);
  return message;
}

void HeldMessages::clear() {
  messages_.clear();
  counts_.clear();
}

}  // namespace tandem::servers

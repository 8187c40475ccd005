#pragma once
#include <cstdint>
#include <vector>

#include "tandem/servers/frame.h"
#include "tandem/servers/server_message.h"

namespace tandem::servers {

/// What a server sent to the others of its group, until they say that they have it by coming to a later round: what a
/// connection may have lost is sent again. The messages share the memory that they were sent from.
class ServerOutbox {
 public:
  struct Message {
    Header header;
    std::vector<Frame> payload;
  };

  explicit ServerOutbox(std::size_t servers) : sent_(servers) {}

  void keep(int64_t to, Message message) { of(to).push_back(std::move(message)); }
  /// It has come to this round: it has all of earlier ones.
  void came(int64_t to, int64_t round) {
    std::erase_if(of(to), [&](const Message& message) { return static_cast<int64_t>(message.header.id) < round; });
  }
  const std::vector<Message>& sent(int64_t to) const { return sent_[static_cast<std::size_t>(to)]; }
  void forget(int64_t to) { of(to).clear(); }

 private:
  std::vector<Message>& of(int64_t to) { return sent_[static_cast<std::size_t>(to)]; }

  std::vector<std::vector<Message>> sent_;  // by server
};

}  // namespace tandem::servers

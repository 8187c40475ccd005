#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tandem/servers/frame.h"
#include "tandem/servers/server_message.h"

namespace tandem::servers {

/// What workers said while the servers of all hosts average, until that is over: so many messages of each connection
/// and no more, that a server's memory does not grow.
class HeldMessages {
 public:
  struct Message {
    std::string who;
    Header header;
    std::vector<Frame> frames;
  };

  bool empty() const { return messages_.empty(); }
  /// Throws DataError when there are `most` of this connection already.
  void push(Message message, int64_t most);
  /// The oldest one.
  Message pop();
  void clear();

 private:
  std::deque<Message> messages_;
  std::map<std::string, int64_t> counts_;  // by connection
};

}  // namespace tandem::servers

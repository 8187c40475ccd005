#pragma once
#include <functional>
#include <vector>

#include "tandem/servers/server_link.h"
#include "tandem/servers/server_links.h"

namespace tandem::servers {

/// A question to all servers, and what each answered. One thread asks; answers are taken in under the links' lock.
class ServerAnswers {
 public:
  explicit ServerAnswers(ServerLinks& links) : links_(links) {}

  /// Calls send(s), which sends it the question, for each server s, once more where its connection is made anew, and
  /// waits for an answer of kind `kind` from each. `seconds`: 0: as long as ServerLinks waits otherwise. `missing`:
  /// "was not greeted by", for errors.
  const std::vector<ServerLink::Message>& ask(Kind kind, const char* missing, double seconds,
                                              const std::function<void(std::size_t server)>& send);
  /// The last ones.
  const std::vector<ServerLink::Message>& all() const { return answers_; }
  /// Under the lock. True where server `s` still owes an answer of this kind.
  bool expects(std::size_t s, Kind kind) const { return s < answered_.size() && kind == expected_ && !answered_[s]; }
  void take(std::size_t s, ServerLink::Message& message);

 private:
  ServerLinks& links_;
  // Guarded by the lock of links_:
  Kind expected_ = Kind::hello;
  std::vector<ServerLink::Message> answers_;
  std::vector<bool> answered_;
};

}  // namespace tandem::servers

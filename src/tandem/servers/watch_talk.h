#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tandem/servers/frame.h"
#include "tandem/servers/server_message.h"

namespace tandem::servers {

/// Those that look on while workers train, an evaluator: they get a server's parameters, are no workers, and nobody
/// waits for them. No network; one thread.
///
/// Fields of a question of Kind::watch: id; version: it is to be answered at this update or a later one, or when the
/// workers are done; rows: 1 where it is to be answered at once, without parameters. Of an answer: id; version: updates
/// made; block: the server's number; staleness: 1 when the workers are done. Payload: the plan, what worker 0 has said
/// of its moving averages (watched_statistics.h), and all blocks. One that knows that the workers are done says leave.
class WatchTalk {
 public:
  using Send = std::function<void(const std::string& who, const Header& header, std::vector<Frame> payload)>;

  explicit WatchTalk(Send send) : send_(std::move(send)) {}

  void hear(const std::string& who, const Header& question, double now);
  /// A sign of life.
  void heard(const std::string& who, double now);
  /// It left, or its connection was closed and not made anew. False: it was not here.
  bool gone(const std::string& who) { return watchers_.erase(who) > 0; }
  /// Those that have been silent for so long are lost; `slept`: how long this process has not looked itself.
  void look(double now, double slept, double silence_seconds);
  bool nobody() const { return watchers_.empty(); }

  /// What the server has to show.
  struct Shown {
    std::optional<int64_t> updates = {};  // nothing: training has not begun, or is in the midst of an update
    int64_t server = 0;
    bool done = false;  // the workers have left
    std::function<std::vector<Frame>()> payload = {};
  };
  /// Answers what can be answered now; when the workers are done, everybody, also those who have not asked.
  void show(const Shown& shown);
  /// Tells all of them that there will be no more.
  void fail(const std::string& why);

 private:
  struct Watcher {
    double heard;
    std::optional<Header> question = {};
    bool told = false;  // the last parameters
  };

  Send send_;
  std::map<std::string, Watcher> watchers_;
};

}  // namespace tandem::servers

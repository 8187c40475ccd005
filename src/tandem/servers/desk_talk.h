#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tandem/servers/frame.h"
#include "tandem/servers/server_message.h"
#include "tandem/servers/work_desk.h"

namespace tandem::servers {

/// What is asked of a WorkDesk, in Header::block of a message of Kind::desk.
enum class DeskAsk : int64_t { take, gather, say, hear, leave, stop };

/// A server's WorkDesk as processes speak with it. Fields of a message: worker: the process's place; id: the question;
/// block: what is asked; version: the pass, of stop the one behind; rows: its batches; staleness: of take 1 where it
/// waits, 2 where it takes nothing more of the pass. Payload of take: the batches that are done, int64; of gather and
/// say: topic and text; of hear: the topic. Answers have the deal in staleness, the batch in block, and what was said
/// as payload.
class DeskTalk {
 public:
  using Send = std::function<void(const std::string& who, const Header& header, std::vector<Frame> payload)>;

  explicit DeskTalk(Send send);

  /// Throws DataError on a message that cannot be.
  void hear(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  /// A sign of life.
  void heard(const std::string& who, double now);
  /// Its connection was closed, and not made anew.
  void closed(const std::string& who);
  /// Those that have been silent for so long are lost; `slept`: how long this process has not looked itself.
  void look(double now, double slept, double silence_seconds);
  /// Another run begins; those that are here are told `why` it is not theirs.
  void begin_anew(const std::string& why);
  /// As WorkDesk's.
  void stop(int64_t pass) { desk_.stop(pass); }
  const std::string* said(const std::string& topic) const { return desk_.said(topic); }
  bool nobody() const { return heard_.empty(); }
  /// All that are here are some of these.
  bool nobody_but(const std::vector<std::string>& these) const;
  bool is_here(const std::string& who) const { return heard_.contains(who); }

 private:
  Send send_;
  WorkDesk desk_;
  std::map<std::string, double> heard_;  // by who: when, last
};

}  // namespace tandem::servers

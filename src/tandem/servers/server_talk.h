#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tandem/servers/average_asks.h"
#include "tandem/servers/frame.h"
#include "tandem/servers/held_messages.h"
#include "tandem/servers/parameter_table.h"
#include "tandem/servers/server_group.h"

namespace tandem::servers {

/// What a server says to whom: it knows its workers by the names of their connections, takes their messages to the
/// table, and answers. Knows no sockets.
class ServerTalk {
 public:
  using Send = std::function<void(const std::string& who, const Header& header, std::vector<Frame> payload)>;

  ServerTalk(double silence_seconds, Send send) : silence_seconds_(silence_seconds), send_(std::move(send)) {}

  /// With servers of other hosts, that must outlive this.
  void join(ServerGroup* group) { group_ = group; }
  /// A message: its header and payload frames. What is no message is not answered; a wrong one by its error.
  void hear(const std::string& who, const std::vector<Frame>& frames, double now);
  /// Looks who has been silent for too long; to be called often, when all that has come has been heard.
  void look(double now);
  /// Says so to all workers, and that nothing goes on.
  void fail(const std::string& why);

  bool nobody() const { return members_.empty() && early_.empty(); }
  /// All workers have been there and said that they leave.
  bool all_have_left() const;
  /// Worker 0 has brought the parameters.
  bool has_begun() const { return table_ != nullptr; }
  /// A server of another host is lost.
  void lost_server(int64_t server, const std::string& why);
  /// Why nothing goes on; empty: all is well.
  const std::string& failure() const { return failure_; }

 private:
  struct Member {
    int64_t worker;
    double heard;
  };
  struct Early {  // a hello that came before worker 0's
    std::string who;
    Header header;
    std::vector<Frame> frames;
  };

  void answer_errors(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void settle(double now);
  bool holds() const { return group_ && failure_.empty() && group_->holds(); }
  void ask_average(const std::string& who, uint64_t id);
  void answer_asked();
  void handle(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void hello(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void make_table(const Header& header, const std::vector<Frame>& frames);
  void greet_early(double now);
  void leave(const std::string& who, int64_t worker);
  void send_state(const std::string& who);
  void set_parameters(const std::string& who, const std::vector<Frame>& frames);
  void set_state(const std::string& who, const Header& header, const std::vector<Frame>& frames);
  void answer(int64_t worker, const BlockAnswer& answer);
  void say(const std::string& who, Kind kind, std::string text);

  double silence_seconds_;
  Send send_;
  std::string plan_text_;
  ServerPlan plan_;
  int64_t server_ = 0;
  std::unique_ptr<ParameterTable> table_;
  std::map<std::string, Member> members_;
  std::vector<std::string> who_of_;  // by worker
  std::vector<bool> left_;           // by worker
  std::vector<Early> early_;
  std::string failure_;
  double last_look_ = 0;
  ServerGroup* group_ = nullptr;
  HeldMessages held_;
  AverageAsks asks_;
  bool settles_ = false;
};

}  // namespace tandem::servers

#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/servers/average_asks.h"
#include "tandem/servers/desk_talk.h"
#include "tandem/servers/frame.h"
#include "tandem/servers/held_messages.h"
#include "tandem/servers/parameter_table.h"
#include "tandem/servers/server_group.h"
#include "tandem/servers/snapshot_files.h"
#include "tandem/servers/watch_talk.h"

namespace tandem::servers {

/// What a server says to whom: it knows its workers by the names of their connections, takes their messages to the
/// table, and answers. Knows no sockets.
///
/// With snapshots it goes on from what was saved before, instead of from worker 0's parameters: in async and stale from
/// its own latest, in sync from the update that worker 0 finds all servers to have. And what ends the job without them,
/// in sync a worker that is lost, only takes it back to the last of them: workers may begin anew.
///
/// With both snapshots and servers of other hosts it goes on from the round that all of these have saved, and what ends
/// the job ends all of them: they are to be started again.
class ServerTalk {
 public:
  using Send = std::function<void(const std::string& who, const Header& header, std::vector<Frame> payload)>;

  /// `saves`: null where nothing is saved.
  ServerTalk(double silence_seconds, Send send, SnapshotFiles* saves = nullptr)
      : silence_seconds_(silence_seconds), send_(std::move(send)), desk_(send_), watchers_(send_), saves_(saves) {}

  /// With servers of other hosts, that must outlive this.
  void join(ServerGroup* group) {
    group_ = group;
    group_->save_by([this] { save(); });
  }
  /// A message: its header and payload frames. What is no message is not answered; a wrong one by its error.
  void hear(const std::string& who, const std::vector<Frame>& frames, double now);
  /// Looks who has been silent for too long; to be called often, when all that has come has been heard.
  void look(double now);
  /// Those whose connections are closed at the moment, and may be made anew.
  void away(std::vector<std::string> names) { away_ = std::move(names); }
  /// The connection of a worker has been closed, and was not made anew.
  void closed(const std::string& who);
  /// Says so to all workers, and that nothing goes on, unless they begin anew.
  void fail(const std::string& why);
  /// Likewise, and nobody can begin anew.
  void end(const std::string& why);
  /// Lets the workers end by themselves: they are told, and no more batches are dealt out.
  void stop_work();
  /// Tells those that look on that there will be no more workers; false: not all have taken the last parameters yet.
  bool ends_watch(double now);
  /// All is done: what was saved is not needed any more.
  void forget_saved();

  bool nobody() const { return members_.empty() && early_.empty() && before_desk_.empty() && desk_.nobody(); }
  /// A worker has come, though it may have been refused.
  bool anybody_came() const { return came_; }
  /// All workers have been there and said that they leave.
  bool all_have_left() const;
  /// Worker 0 has brought the parameters.
  bool has_begun() const { return table_ != nullptr; }
  /// A server of another host is lost.
  void lost_server(int64_t server, const std::string& why);
  /// One has left that did not fail.
  bool any_is_done() const;
  std::string why_none_is_done() const;
  /// Why nothing goes on; empty: all is well.
  const std::string& failure() const { return failure_; }
  /// Nobody can begin anew.
  bool over() const { return over_; }
  ServerFigures figures() const;

 private:
  struct Member {
    int64_t worker;
    double heard;
    bool away = false;  // its connection was closed while the servers of all hosts average
  };
  enum class Left : uint8_t { no, done, failed };
  struct Early {  // a hello that came before worker 0's, or before an older run of its worker has gone
    std::string who;
    Header header;
    std::vector<Frame> frames;
    double came = 0;
  };

  void answer_errors(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void settle(double now);
  bool holds() const { return group_ && !over_ && group_->holds(); }
  void ask_average(const std::string& who, uint64_t id, int64_t round);
  void answer_asked();
  void handle(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  // False: not yet.
  bool may_come_to_desk(int64_t worker);
  void wait_for_desk(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void hello(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  // Sees to it that there is a table; false: not yet.
  bool begin_table(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  // Likewise, from what all hosts have saved.
  bool begin_with_others(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void make_table(const Header& header, const std::vector<Frame>& frames);
  void restore_table(const ServerPlan& plan, std::string plan_text, int64_t server, int64_t version);
  void set_table(std::unique_ptr<ParameterTable> table, const ServerPlan& plan, std::string plan_text, int64_t server,
                 int64_t rounds = 0);
  ParameterTable::Send answers();
  void resume(const std::string& who, const Header& header, double now);
  // True when it is a worker that has not noticed that this server is another one, which began from a snapshot.
  bool comes_back(const std::string& who, const Header& header, double now);
  void greet(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void keep_early(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now);
  void greet_early(double now);
  void refuse_doubles();
  void leave(const std::string& who, int64_t worker, bool failed);
  void lose(const std::string& who, int64_t worker, const std::string& why);
  void begin_anew();
  void save_if_due();
  void save();
  void show_watchers();
  void send_state(const std::string& who);
  void set_parameters(const std::string& who, const std::vector<Frame>& frames);
  void set_state(const std::string& who, const Header& header, const std::vector<Frame>& frames);
  void answer(int64_t worker, const BlockAnswer& answer);
  void say(const std::string& who, Kind kind, std::string text);
  void refuse(const std::string& who, const Header& what, Fault fault, const std::string& why);

  double silence_seconds_;
  Send send_;
  DeskTalk desk_;
  WatchTalk watchers_;
  std::optional<double> watch_ended_;  // when the last parameters were shown
  std::string plan_text_;
  ServerPlan plan_;
  int64_t server_ = 0;
  std::unique_ptr<ParameterTable> table_;
  std::map<std::string, Member> members_;
  std::vector<std::string> who_of_;  // by worker
  std::vector<Left> left_;           // by worker
  bool came_ = false;
  bool run_ended_ = false;         // worker 0 has said that it is done, and has not come again
  bool stops_ = false;             // workers have been told to end
  std::vector<std::string> away_;  // connections that are closed at the moment
  std::vector<Early> early_;
  std::vector<Early> before_desk_;  // questions to the desk of those that wait to come to it
  bool look_at_early_ = false;
  std::string failure_;
  bool over_ = false;
  SnapshotFiles* const saves_;
  int64_t resumed_ = 0;           // the update that it went on from
  std::optional<Early> offered_;  // worker 0's hello, which was told what is saved
  bool looked_ = false;           // whether somebody comes back, which is only at the beginning
  double last_look_ = 0;
  ServerGroup* group_ = nullptr;
  HeldMessages held_;
  AverageAsks asks_;
  bool settles_ = false;
};

}  // namespace tandem::servers

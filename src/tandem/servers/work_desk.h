#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tandem::servers {

/// What a process is told that asks for a batch: one, or none now though others may not make theirs, or that all of
/// the pass are done, or that somebody has stopped the job.
enum class Deal : uint8_t { batch, later, over, stopped };

/// Where processes that train each at its own pace are kept together: it deals out the batches of a pass, each to one
/// of them and, when that one is lost, to another; hands on what one says to the others; and gathers what all that are
/// there say. Processes are known by a name each, and from their first call on. No network; one thread.
class WorkDesk {
 public:
  struct Answer {
    uint64_t id = 0;  // of the question
    Deal deal = Deal::over;
    int64_t batch = 0;
    std::vector<std::string> said = {};
  };
  using Send = std::function<void(const std::string& who, const Answer& answer)>;

  explicit WorkDesk(Send send) : send_(std::move(send)) {}

  /// `place`: what is gathered is in the order of places.
  void come(const std::string& who, int64_t place);
  struct Question {
    uint64_t id = 0;  // the same one asked again gets the same answer
    int64_t pass = 0;
    int64_t batches = 0;             // of the pass
    std::vector<int64_t> done = {};  // that this process has made since it asked last
    bool waits = false;              // the answer is to come when it is not "later"
    bool ends = false;               // it wants no batch, but tells what it has done; the answer is "over"
  };
  /// Another batch. The first question of a pass begins it, and ends the one before. Throws DataError where another has
  /// said another number of batches.
  void take(const std::string& who, const Question& question);
  /// No more batches of this pass or earlier ones are dealt out; -1: of all passes again.
  void stop(int64_t pass);
  /// Answered to all with what each has said to `topic`, when all that are there have.
  void gather(const std::string& who, uint64_t id, const std::string& topic, std::string text);
  /// What `text` is for those that hear `topic`, who wait for it. Not answered.
  void say(const std::string& topic, std::string text);
  void hear(const std::string& who, uint64_t id, const std::string& topic);
  /// What has been said to `topic`; null: nothing.
  const std::string* said(const std::string& topic) const;
  /// It has left, or is lost.
  void gone(const std::string& who);
  /// Forgets all: who is there, what was dealt and what was said.
  void begin_anew() { *this = WorkDesk(std::move(send_)); }

  bool is_here(const std::string& who) const { return places_.contains(who); }

 private:
  using Asker = std::pair<std::string, uint64_t>;  // who, and the question
  struct Topic {
    std::map<std::string, std::string> by_who;
    std::vector<Asker> waiting;
    std::vector<std::string> said;  // once it is closed
    bool closed = false;
  };

  void begin(int64_t pass, int64_t batches);
  void count(const std::string& who, const std::vector<int64_t>& done);
  bool deal_to(const Asker& asker);
  void deal_to_waiting();
  void close_full_topics();

  Send send_;
  std::map<std::string, int64_t> places_;
  // The pass.
  int64_t pass_ = -1, batches_ = 0, next_ = 0, done_ = 0, stopped_ = -1;
  std::deque<int64_t> returned_;
  std::map<int64_t, std::string> out_;
  std::map<std::string, Answer> dealt_;  // last
  std::deque<Asker> waiting_;
  // What is said.
  std::map<std::string, Topic> topics_;
  std::deque<std::string> closed_;  // the oldest are forgotten
  std::map<std::string, std::string> announced_;
  std::map<std::string, std::vector<Asker>> listening_;
};

}  // namespace tandem::servers

#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/servers/frame.h"
#include "tandem/servers/parameter_table.h"
#include "tandem/servers/server_outbox.h"
#include "tandem/servers/server_rounds.h"

namespace tandem::servers {

struct GroupOptions {
  std::vector<std::string> hosts;  // addresses of all servers
  int64_t own = 0;                 // place among them
  ServerSync way = ServerSync::all_reduce;
  int64_t every = 1;       // updates between rounds; 0: only when asked
  int64_t save_every = 0;  // updates until the next round is saved; 0: none is
};

/// A server among those of other hosts: brings its table to rounds of averaging, and says what goes between them. Knows
/// no sockets. Slots, numbers and iterations of the optimizer stay each server's own.
///
/// Where they save, they do so at the ends of the same rounds: of those to which one comes that has made save_every
/// updates since the last. All go on from one of them, so first they tell one another which they have. Nothing is saved
/// of rounds that are made after some server has left. One that is lost ends the others in every way, since what they
/// would make without it could not be brought together with it again.
class ServerGroup {
 public:
  using Send = std::function<void(int64_t to, const Header& header, std::vector<Frame> payload)>;

  /// Throws InvalidArgument on numbers out of range.
  ServerGroup(GroupOptions options, Send send);

  /// How a round is saved, which is called between two updates.
  void save_by(std::function<void()> save) { save_ = std::move(save); }
  /// Tells the others of which rounds this server has snapshots, once; before begin, where they save.
  void meet(std::vector<int64_t> saved);
  bool has_met() const { return saved_[static_cast<std::size_t>(options_.own)].has_value(); }
  /// The last one that all have; 0: none has any; nothing: some have not said it yet. Throws DataError where there is
  /// no such one, saying what each has.
  std::optional<int64_t> common_round() const;
  /// Throws InvalidArgument where the workers expect something else.
  void check(const ServerPlan& plan) const;
  /// The table has its parameters, saved after so many rounds, and outlives this. All servers must begin with the same
  /// ones; in async-scatter-sum with those that each had after the same round.
  void begin(ParameterTable& table, const ServerPlan& plan, int64_t rounds = 0);
  /// What another server says. Throws DataError on what it cannot have said, PeerError when nothing can go on.
  void hear(const Header& header, const std::vector<Frame>& frames);
  /// To be called when the table may have been updated: comes to a round that is due.
  void look();
  /// A round is to be made: returns its number, which rounds() reaches when it has taken effect. `round`: up to this
  /// one; 0: one that has not begun. Throws DataError on one that nobody can have come to.
  int64_t ask(int64_t round = 0);
  /// Nobody must touch the table: a round is on that workers wait for.
  bool holds() const { return rounds_ && holds_workers(options_.way) && rounds_->running(); }
  /// "server 1 of 3 (host:port)", ...
  std::string waiting_for() const;
  int64_t rounds() const { return rounds_ ? rounds_->rounds() : 0; }
  void add_to(ServerFigures& figures) const;

  /// It is gone without a word, or cannot go on. Throws PeerError giving `why` where the others cannot, either.
  void lost(int64_t server, const std::string& why);
  /// The connection to it was made anew.
  void send_again(int64_t server);
  /// This server's workers are done: the others go on without it.
  void leave();
  bool leaves() const { return leaves_; }
  /// All others know, or are gone themselves; where they save, know.
  bool may_end() const;
  /// The workers of all others are done, too.
  bool all_others_left() const;
  /// Tells the others why nothing goes on here.
  void fail(const std::string& why);
  /// It has left or is lost: its connection means nothing.
  bool is_gone(int64_t server) const;
  std::string name(int64_t server) const;

 private:
  std::size_t count() const { return options_.hosts.size(); }
  bool saves() const { return options_.save_every > 0; }
  // False: it is another run than the one that was known, and is lost.
  bool is_run(int64_t server, int64_t run);
  void hear_saved(int64_t server, const std::vector<Frame>& frames);
  // What comes from another while this server has no parameters.
  void hear_early(int64_t server, const Header& header, const std::vector<Frame>& frames);
  void agree(int64_t server, const std::vector<Frame>& frames);
  void done();
  // The next round should be saved.
  bool wishes_save();
  void save_if_due();
  void tell(int64_t to, Header header, std::vector<Frame> payload);

  const GroupOptions options_;
  const Send send_;
  std::function<void()> save_;
  ParameterTable* table_ = nullptr;
  std::unique_ptr<ServerRounds> rounds_;
  std::string terms_;          // what all must agree on
  const int64_t run_;          // differs when a server has begun anew
  std::vector<int64_t> runs_;  // by server; 0: not heard of yet
  int64_t due_ = INT64_MAX;    // updates at which the next round begins
  int64_t asked_ = 0;          // the last round that was asked for
  bool leaves_ = false;
  std::vector<std::optional<std::vector<int64_t>>> saved_;  // by server: rounds
  int64_t saved_at_ = 0;                                    // updates
  bool save_due_ = false;                                   // the round that was made last
  bool told_unsaved_ = false;
  std::vector<bool> gone_, knows_;  // by server: is lost; has heard that this one leaves
  ServerOutbox outbox_;
  std::vector<std::pair<Header, std::vector<Frame>>> early_;  // before begin
  int64_t bytes_sent_ = 0;
};

}  // namespace tandem::servers

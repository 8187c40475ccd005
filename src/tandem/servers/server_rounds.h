#pragma once
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "tandem/servers/average_round.h"
#include "tandem/servers/server_message.h"

namespace tandem::servers {

/// The rounds in which one server averages its parameters with those of the other hosts, driven by calls: knows who has
/// come to which round, who has left, and what is missing. Rounds count from 1, at all servers alike.
///
/// all-reduce and ring: a round starts when all that have not left have come to it. async-scatter-sum: a server sends
/// its slices at once, and the round takes effect when those of the others are there: parameters = average +
/// (parameters now - parameters when it came).
class ServerRounds {
 public:
  /// Messages of the kinds come, slice and part, to another server; `values`: of a slice.
  using Send = std::function<void(int64_t to, const Header& header, const Tensor& values)>;

  /// `parameters` (n,), float32, contiguous: changed in place. `done`: called when a round has taken effect. `made`: so
  /// many were made by those who saved these parameters.
  ServerRounds(ServerSync way, int64_t servers, int64_t own, Tensor parameters, Send send, std::function<void()> done,
               int64_t made = 0);

  /// This server comes to its next round, at whose end it wishes that all `save`. Not while one is running.
  void come(bool save = false);
  /// What another server said. Throws DataError on what it cannot have said.
  void hear(int64_t from, const Header& header, const Tensor& values);
  /// This server takes part in no round more.
  void leave();
  /// The others go on without this one. Throws PeerError where a round needs it.
  void lost(int64_t server);

  bool running() const { return running_; }
  /// Another has come to the round that this server comes to next.
  bool others_came() const;
  /// Those that took effect.
  int64_t rounds() const { return round_ - 1; }
  /// The last one of them is to be saved: somebody wished it, and all servers took part.
  bool to_be_saved() const { return to_be_saved_; }
  /// That this server has come to.
  int64_t begun() const { return running_ ? round_ : round_ - 1; }
  bool has_left(int64_t server) const { return first_without_[static_cast<std::size_t>(server)] < kNever; }
  /// For whom the round waits; empty: for nobody, or none is running.
  std::vector<int64_t> waiting_for() const;
  /// Elements that wait for this server to come.
  int64_t early_elements(int64_t from) const { return early_elements_[static_cast<std::size_t>(from)]; }

 private:
  static constexpr int64_t kNever = INT64_MAX;
  bool is_in(std::size_t server, int64_t round) const { return first_without_[server] > round; }
  void start_if_all_came();
  void start();
  void hear_slice(int64_t from, int64_t round, AverageSlice slice);
  void gone(int64_t server, int64_t first_without);
  void finish_if_complete();
  void tell_all(const Header& header);

  const ServerSync way_;
  const int64_t own_;
  Tensor parameters_, begun_, average_;
  const Send send_;
  const std::function<void()> done_;
  int64_t round_;  // that is running, or comes next
  bool running_ = false, to_be_saved_ = false;
  std::set<int64_t> wished_;  // rounds that are to be saved, from this one on
  std::unique_ptr<AverageRound> average_round_;
  std::vector<int64_t> came_;           // by server: the last round that it came to
  std::vector<int64_t> first_without_;  // by server: the first round in which it takes no part
  // Slices that came before this server did, by round, server, step and begin.
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, Tensor> early_;
  std::vector<int64_t> early_elements_;  // by server
};

}  // namespace tandem::servers

#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tandem/comm/turns.h"

namespace tandem::comm {

class LocalSeat;

/// What threads that are the ranks of one group share whatever they do together: a seat for each, the time limit, and
/// whether one of them failed.
class LocalHub {
 public:
  /// `turns`: empty, or one for each rank, which may be null.
  LocalHub(int64_t ranks, double limit_seconds, const std::vector<std::shared_ptr<Turns>>& turns);
  ~LocalHub();

  int64_t ranks() const { return static_cast<int64_t>(seats_.size()); }
  LocalSeat& seat(int64_t rank) { return *seats_[static_cast<std::size_t>(rank)]; }
  double limit_seconds() const { return limit_seconds_; }
  /// There is a core for each rank, so one that waits may keep its core busy for a moment.
  bool may_spin() const { return may_spin_; }

  bool failed() const { return failed_.load(); }
  /// Ends all waits, and all later calls, until reset. The first reason stays.
  void fail(const std::string& reason);
  /// Throws PeerError with the reason, when no other rank works on this rank's memory any more.
  [[noreturn]] void throw_failed(int64_t rank);
  /// Forgets the failure and all that was in progress; no rank may be in a call.
  void reset();

 private:
  const double limit_seconds_;
  const bool may_spin_;
  std::vector<std::unique_ptr<LocalSeat>> seats_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string reason_;  // guarded by mutex_
};

}  // namespace tandem::comm

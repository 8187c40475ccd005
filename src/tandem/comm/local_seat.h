#pragma once
#include <c10/util/FunctionRef.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/doorbell.h"
#include "tandem/comm/local_hub.h"
#include "tandem/comm/turns.h"

namespace tandem::comm {

/// Where one rank's thread waits for the others. It belongs to the thread, whatever sub-groups it is in; the others
/// only ring its bell.
class LocalSeat {
 public:
  /// What a thread has in progress with others and moves on while it waits.
  class Duty {
   public:
    virtual void progress() = 0;
    virtual void forget() = 0;

   protected:
    ~Duty() = default;
  };

  LocalSeat(LocalHub& hub, int64_t rank, std::shared_ptr<Turns> turns)
      : hub_(hub), rank_(rank), turns_(std::move(turns)) {}

  int64_t rank() const { return rank_; }
  LocalHub& hub() { return hub_; }
  Doorbell& bell() { return bell_; }
  void add(Duty& duty) { duties_.push_back(&duty); }
  void remove(Duty& duty);
  /// Drops what is in progress.
  void forget();

  /// Returns when `done` says so; it is asked again whenever the bell has rung. Throws PeerError when the group fails
  /// or when the time limit passes, with `late()` as what was waited for and for whom. While it sleeps the rank has no
  /// turn.
  void wait(c10::function_ref<bool()> done, c10::function_ref<std::string()> late);
  /// Seconds that waits of this rank went on only because it had no turn.
  double seconds_without_turn() const { return without_turn_; }

  /// This rank reads or writes other ranks' memory.
  bool working() const { return working_.load(); }

 private:
  friend class LocalWork;
  bool spin(c10::function_ref<bool()> done);
  void progress();
  // Sleeps, without the turn; false: `deadline` has passed. The deadline moves by the time that the next turn took.
  bool sleep(uint64_t heard, Doorbell::Clock::time_point& deadline);

  LocalHub& hub_;
  const int64_t rank_;
  const std::shared_ptr<Turns> turns_;
  std::vector<Duty*> duties_;
  double without_turn_ = 0;
  alignas(64) std::atomic<bool> working_{false};
  alignas(64) Doorbell bell_;
};

/// While it lives and is allowed, a rank may read and write the memory that other ranks brought: these do not leave
/// their calls before, even when the group has failed. After a failure nothing is allowed.
class LocalWork {
 public:
  explicit LocalWork(LocalSeat& seat) : seat_(seat) {
    seat_.working_.store(true);  // before the look at failed: who fails first and looks after cannot miss it
    allowed_ = !seat_.hub_.failed();
    if (!allowed_) seat_.working_.store(false);
  }
  ~LocalWork() {
    if (allowed_) seat_.working_.store(false, std::memory_order_release);
  }
  LocalWork(const LocalWork&) = delete;
  LocalWork& operator=(const LocalWork&) = delete;
  bool allowed() const { return allowed_; }

 private:
  LocalSeat& seat_;
  bool allowed_;
};

}  // namespace tandem::comm

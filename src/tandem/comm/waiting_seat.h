#pragma once
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/doorbell.h"
#include "tandem/comm/turns.h"

namespace tandem::comm {

/// Where one rank's thread waits for other ranks, be they threads or processes. It belongs to the thread, whatever
/// sub-groups it is in; the others only ring its bell.
class WaitingSeat {
 public:
  using Clock = Doorbell::Clock;

  /// What a thread has in progress with others and moves on while it waits.
  class Duty {
   public:
    virtual void progress() = 0;
    /// True while something goes on that rings no bell when it is done: progress is called every millisecond.
    virtual bool polls() const { return false; }
    virtual void forget() = 0;

   protected:
    ~Duty() = default;
  };

  virtual ~WaitingSeat() = default;
  int64_t rank() const { return rank_; }
  void add(Duty& duty) { duties_.push_back(&duty); }
  void remove(Duty& duty);
  /// Drops what is in progress.
  void forget();

  /// Returns when `done` says so; it is asked again whenever the bell has rung. Throws PeerError when the group fails
  /// or when the time limit passes, with `late()` as what was waited for and for whom. While it sleeps the rank has no
  /// turn.
  void wait(c10::function_ref<bool()> done, c10::function_ref<std::string()> late);
  /// Moves on what is in progress, as a wait does.
  void progress();
  /// Seconds that waits of this rank went on only because it had no turn.
  double seconds_without_turn() const { return without_turn_; }

 protected:
  WaitingSeat(int64_t rank, std::shared_ptr<Turns> turns) : rank_(rank), turns_(std::move(turns)) {}

 private:
  // Of the group.
  virtual double limit_seconds() const = 0;
  virtual bool may_spin() const = 0;
  virtual bool failed() const = 0;
  virtual void fail(const std::string& reason) = 0;
  [[noreturn]] virtual void throw_failed(c10::function_ref<std::string()> late) = 0;
  // Of the bell, as Doorbell.
  virtual uint64_t rings() const = 0;
  virtual bool sleep_until_rung(uint64_t heard, Clock::time_point deadline) = 0;

  bool spin(c10::function_ref<bool()> done);
  bool polls() const;
  // Sleeps, without the turn; false: `deadline` has passed. The deadline moves by the time that the next turn took.
  bool sleep(uint64_t heard, Clock::time_point& deadline);

  const int64_t rank_;
  const std::shared_ptr<Turns> turns_;
  std::vector<Duty*> duties_;
  double without_turn_ = 0;
};

}  // namespace tandem::comm

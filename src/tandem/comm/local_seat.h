#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "tandem/comm/doorbell.h"
#include "tandem/comm/local_hub.h"
#include "tandem/comm/turns.h"
#include "tandem/comm/waiting_seat.h"

namespace tandem::comm {

/// The seat of a rank that is a thread of this process.
class LocalSeat final : public WaitingSeat {
 public:
  LocalSeat(LocalHub& hub, int64_t rank, std::shared_ptr<Turns> turns)
      : WaitingSeat(rank, std::move(turns)), hub_(hub) {}

  LocalHub& hub() { return hub_; }
  Doorbell& bell() { return bell_; }
  /// This rank reads or writes other ranks' memory.
  bool working() const { return working_.load(); }

 private:
  friend class LocalWork;
  double limit_seconds() const override { return hub_.limit_seconds(); }
  bool may_spin() const override { return hub_.may_spin(); }
  bool failed() const override { return hub_.failed(); }
  void fail(const std::string& reason) override { hub_.fail(reason); }
  [[noreturn]] void throw_failed(c10::function_ref<std::string()> /*late*/) override { hub_.throw_failed(rank()); }
  uint64_t rings() const override { return bell_.rings(); }
  bool sleep_until_rung(uint64_t heard, Clock::time_point deadline) override { return bell_.sleep(heard, deadline); }

  LocalHub& hub_;
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

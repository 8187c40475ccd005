#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/comm/shared_bell.h"
#include "tandem/comm/shared_memory.h"
#include "tandem/comm/shared_pulse.h"
#include "tandem/comm/turns.h"
#include "tandem/comm/waiting_seat.h"

namespace tandem::comm {

class SharedSeat;

/// The processes of one host among those of a job.
struct OneHost {
  int64_t process = 0, processes = 1;  // this one among those of the host
  int64_t base = 0;                    // processes of the job before the host's first
};

/// What ranks in several processes of one host share whatever they do together: a bell for each, and whether one of
/// them failed. Each process has `here` of the ranks, numbered process by process as in the whole job.
class SharedHub {
 public:
  static std::size_t bytes(int64_t ranks);
  /// `turns` as in LocalHub, for this process's ranks.
  SharedHub(SharedMemory memory, const OneHost& host, int64_t here, double limit_seconds,
            const std::vector<std::shared_ptr<Turns>>& turns, std::shared_ptr<SharedPulse> pulse);
  ~SharedHub();

  int64_t ranks() const { return host_.processes * here_; }
  /// The lowest rank of the host, and of this process.
  int64_t base() const { return host_.base * here_; }
  int64_t first() const { return base() + host_.process * here_; }
  int64_t here() const { return here_; }
  /// Of a rank of this process.
  SharedSeat& seat(int64_t rank) { return *seats_[static_cast<std::size_t>(rank - first())]; }
  SharedBell& bell(int64_t rank) const;
  double limit_seconds() const { return limit_seconds_; }
  bool may_spin() const { return may_spin_; }

  bool failed() const;
  /// Ends all waits and all later calls, in every process. The first reason stays.
  void fail(const std::string& reason);
  /// Why it failed.
  std::string reason() const;
  /// Fails the group where a process has ended or fallen silent.
  void look_for_lost();
  /// "; rank 1 last reported: data, step 3" of the processes that are not in an exchange, as those are that wait.
  std::string last_reports() const;

 private:
  struct Head;
  Head& head() const;
  std::string name_of(int64_t process) const;

  SharedMemory memory_;
  const OneHost host_;
  const int64_t here_;
  const double limit_seconds_;
  const bool may_spin_;
  std::shared_ptr<SharedPulse> pulse_;
  std::vector<std::unique_ptr<SharedSeat>> seats_;  // of this process's ranks
};

/// The seat of a rank of this process.
class SharedSeat final : public WaitingSeat {
 public:
  SharedSeat(SharedHub& hub, int64_t rank, std::shared_ptr<Turns> turns)
      : WaitingSeat(rank, std::move(turns)), hub_(hub) {}

 private:
  double limit_seconds() const override { return hub_.limit_seconds(); }
  bool may_spin() const override { return hub_.may_spin(); }
  bool failed() const override { return hub_.failed(); }
  void fail(const std::string& reason) override { hub_.fail(reason + hub_.last_reports()); }
  [[noreturn]] void throw_failed(c10::function_ref<std::string()> late) override;
  uint64_t rings() const override { return hub_.bell(rank()).rings(); }
  bool sleep_until_rung(uint64_t heard, Clock::time_point deadline) override;

  SharedHub& hub_;
};

}  // namespace tandem::comm

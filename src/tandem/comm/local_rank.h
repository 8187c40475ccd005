#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tandem/comm/call_times.h"
#include "tandem/comm/communicator.h"
#include "tandem/comm/local_operation.h"
#include "tandem/comm/local_room.h"

namespace tandem::comm {

/// The communicator of a rank that is a thread: it meets the other ranks in a room.
class LocalRank final : public Communicator, private Pending::Source, private LocalSeat::Duty {
 public:
  LocalRank(std::shared_ptr<LocalRoom> room, int64_t rank);
  ~LocalRank() override;

  int64_t rank() const override { return rank_; }
  int64_t world_size() const override { return room_->ranks(); }
  void all_reduce(Tensor& tensor, const ReduceOptions& options) override;
  Pending all_reduce_async(Tensor& tensor, const ReduceOptions& options) override;
  void reduce_scatter(const Tensor& whole, Tensor& part) override;
  void all_gather(const Tensor& part, Tensor& whole) override;
  void broadcast(Tensor& tensor, int64_t root) override;
  Pending broadcast_async(Tensor& tensor, int64_t root) override;
  void send(const Tensor& tensor, int64_t to, int64_t tag) override;
  void recv(Tensor& tensor, int64_t from, int64_t tag) override;
  void barrier() override;
  std::unique_ptr<Communicator> subgroup(const std::vector<int64_t>& ranks) override;

  int64_t bytes_sent() const override { return bytes_sent_; }
  double seconds_waiting() const override { return times_.waiting(); }
  double seconds_moving() const override { return times_.moving(); }

 private:
  // An operation that was started, until it is finished and waited for or let go of.
  struct InProgress {
    LocalOperation operation;
    bool wanted = false;  // somebody is going to wait for it
  };

  bool advance(uint64_t ticket) override;
  ReduceTimes wait(uint64_t ticket) override;
  void let_go(uint64_t ticket) noexcept override;
  void progress() override;
  void forget() override;

  void check_alive();
  // Starts an operation that goes on within later calls.
  Pending start(Brought brought);
  // Makes a call that returns when it is finished.
  void run(Brought brought);
  void wait_for_slot(LocalSlots& slots, uint64_t number);
  InProgress& in_progress(uint64_t number) { return in_progress_[number % in_progress_.size()]; }
  // True when it is finished.
  bool move_on(InProgress& entry, bool help);
  // Forgets those that are finished and that nobody is going to wait for.
  void make_room_for_one();

  const std::shared_ptr<LocalRoom> room_;
  LocalSeat& seat_;
  const int64_t rank_;
  uint64_t calls_ = 0;  // in turn, so far
  LocalOperation call_;
  // Those of the numbers [oldest_, started_); tickets go on where numbers begin anew after a reset.
  std::vector<InProgress> in_progress_;
  uint64_t oldest_ = 0, started_ = 0, first_ticket_ = 0;
  int64_t bytes_sent_ = 0;
  CallTimes times_;
};

}  // namespace tandem::comm

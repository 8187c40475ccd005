#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/call_times.h"
#include "tandem/comm/communicator.h"
#include "tandem/comm/shared_line.h"
#include "tandem/comm/shared_mailbox.h"
#include "tandem/comm/shared_room.h"

namespace tandem::comm {

/// The communicator of a rank that meets ranks of other processes of its host in shared memory. It always adds along
/// the tree of sum_tree.h, whatever algorithm is asked for.
class SharedRank final : public Communicator, private Pending::Source, private WaitingSeat::Duty {
 public:
  SharedRank(std::shared_ptr<SharedRoom> room, int64_t rank);
  ~SharedRank() override;

  int64_t rank() const override { return rank_; }
  int64_t world_size() const override { return room_->ranks(); }
  void all_reduce(Tensor& tensor, const ReduceOptions& options) override;
  Pending all_reduce_async(Tensor& tensor, const ReduceOptions& options) override;
  /// As broadcast while this thread goes on: among the operations of all_reduce_async.
  Pending broadcast_async(Tensor& tensor, int64_t root) override;
  void reduce_scatter(const Tensor& whole, Tensor& part) override;
  void all_gather(const Tensor& part, Tensor& whole) override;
  void broadcast(Tensor& tensor, int64_t root) override;
  void send(const Tensor& tensor, int64_t to, int64_t tag) override;
  void recv(Tensor& tensor, int64_t from, int64_t tag) override;
  void barrier() override;
  /// Where this rank waits.
  WaitingSeat& seat() { return seat_; }
  /// Ends the waits of all ranks and all later calls with this reason.
  void fail(const std::string& reason) { room_->hub().fail(reason); }
  std::unique_ptr<Communicator> subgroup(const std::vector<int64_t>& ranks) override;

  int64_t bytes_sent() const override;
  double seconds_waiting() const override { return times_.waiting(); }
  double seconds_moving() const override { return times_.moving(); }

 private:
  bool advance(uint64_t ticket) override;
  ReduceTimes wait(uint64_t ticket) override;
  void let_go(uint64_t ticket) noexcept override { in_progress_.let_go(ticket); }
  void progress() override;
  void forget() override {}

  void check_alive();
  Pending start(Brought brought);
  // Makes a call that returns when it is finished.
  void run(Brought brought);
  ReduceTimes finish(SharedLine& line, uint64_t number, double entered);

  const std::shared_ptr<SharedRoom> room_;
  WaitingSeat& seat_;
  const int64_t rank_;
  SharedLine in_turn_, in_progress_;
  SharedMailbox mailbox_;
  int64_t messages_sent_ = 0;  // bytes
  CallTimes times_;
};

}  // namespace tandem::comm

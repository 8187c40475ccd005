#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/comm/device_meeting.h"
#include "tandem/core/device_stream.h"

namespace tandem::comm {

/// One rank of a DeviceGroup. Tensors of the CPU (counts, announcements) go to the rank of a LocalGroup, so that they
/// wait for no card. Work on the card runs on a stream of its own, which waits on the card for what the ranks computed
/// before; what they compute after a collective waits on the card for that. The host waits only until all ranks have
/// put their work on their streams. What is counted and timed is what the host sees.
class DeviceRank final : public Communicator, private Pending::Source {
 public:
  /// `host`: this rank among threads.
  DeviceRank(std::shared_ptr<DeviceMeetings> meetings, int64_t rank, Communicator& host);
  /// The same for a rank of a subgroup.
  DeviceRank(std::shared_ptr<DeviceMeetings> meetings, int64_t rank, std::unique_ptr<Communicator> host);
  ~DeviceRank() override;

  int64_t rank() const override { return rank_; }
  int64_t world_size() const override { return meetings_->world_size(); }
  void all_reduce(Tensor& tensor, const ReduceOptions& options) override;
  /// On GPUs an algorithm is not chosen: it is NCCL's own between cards, "direct" on one card.
  Pending all_reduce_async(Tensor& tensor, const ReduceOptions& options) override;
  void reduce_scatter(const Tensor& whole, Tensor& part) override;
  void all_gather(const Tensor& part, Tensor& whole) override;
  void broadcast(Tensor& tensor, int64_t root) override;
  void send(const Tensor& tensor, int64_t to, int64_t tag) override;
  void recv(Tensor& tensor, int64_t from, int64_t tag) override;
  void barrier() override;
  std::unique_ptr<Communicator> subgroup(const std::vector<int64_t>& ranks) override;
  int64_t bytes_sent() const override { return bytes_sent_ + host_.bytes_sent(); }
  double seconds_waiting() const override { return waiting_ + host_.seconds_waiting(); }
  double seconds_moving() const override { return moving_ + host_.seconds_moving(); }

  /// Forgets what was on its way: after DeviceMeetings::reset.
  void reset();

 private:
  struct Operation {
    uint64_t ticket = 0;
    DeviceMeeting* meeting = nullptr;
    bool wants_result = true;
    bool dropped = false;  // nobody will wait for it
    const char* what = "";
    ReduceTimes clock = {};
  };

  bool advance(uint64_t ticket) override;
  ReduceTimes wait(uint64_t ticket) override;
  void let_go(uint64_t ticket) noexcept override;

  Operation& start(DeviceMove move, const Tensor& brought, const Tensor& target, int64_t root,
                   const ReduceOptions& options);
  void run(DeviceMove move, const Tensor& brought, const Tensor& target, int64_t root = 0);
  // True when all ranks have put their work for it on their streams.
  bool advance(Operation& until);
  ReduceTimes finish(Operation& operation);
  // Lets the current stream wait for it, and forgets it.
  void close(Operation& operation);
  void close_dropped();
  Operation* find(uint64_t ticket) const;
  int64_t stage_of(const Operation& operation) const;
  bool is_through(const Operation& operation) const;
  // Does the next phase of the first operation that is not through with all of them, when all ranks are ready for it.
  bool step();
  void check_same(Operation& operation);
  void move(const Operation& operation, const DevicePart& own, int64_t phase);
  void add_up(const std::vector<DevicePart>& parts, Tensor sum, int64_t begin);
  void give_up(Operation& operation);
  void check(const char* call, const Tensor& tensor) const;
  void check_peer(const char* call, const char* name, int64_t peer) const;
  c10::Stream current_stream() const;

  const std::shared_ptr<DeviceMeetings> meetings_;
  const int64_t rank_;
  const c10::Device device_;
  const DeviceStream stream_;
  const std::unique_ptr<Communicator> own_host_;  // null where the group holds it
  Communicator& host_;
  std::vector<std::unique_ptr<Operation>> idle_;
  std::deque<std::unique_ptr<Operation>> active_;  // in the order in which they were started
  uint64_t started_ = 0, tickets_ = 0;
  int64_t bytes_sent_ = 0;
  double waiting_ = 0, moving_ = 0;
};

}  // namespace tandem::comm

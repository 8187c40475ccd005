#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/comm/process_rank.h"
#include "tandem/comm/shared_rank.h"

namespace tandem::comm {

/// Which ranks are on which host: those of a host follow one another.
struct HostPlan {
  std::vector<int64_t> begins;  // by host, its first rank; and the number of ranks
  int64_t hosts() const { return static_cast<int64_t>(begins.size()) - 1; }
  int64_t ranks() const { return begins.back(); }
  int64_t host_of(int64_t rank) const;
  int64_t first(int64_t host) const { return begins[static_cast<std::size_t>(host)]; }
  int64_t size(int64_t host) const { return first(host + 1) - first(host); }
};

/// What one rank of a job on several hosts speaks through.
struct HostsWays {
  SharedRank* up = nullptr;    // with the ranks of its host: sums
  SharedRank* down = nullptr;  // with the same: what comes from other hosts
  // The first ranks of all hosts, on those; null on others. Operations that were only started have a way of their own,
  // since they go to the network at other moments on each host.
  Communicator* across = nullptr;
  Communicator* across_started = nullptr;
  ProcessRank* all = nullptr;  // all ranks, for messages between hosts; null where there is none
  /// Ends the waits of all ranks, of other hosts too, and returns what they are told: the first such reason.
  std::function<std::string(const std::string& reason)> fail;
};

/// A rank of a job on several hosts: the ranks of a host add up in shared memory, the first ones of all hosts add up
/// their sums over the network, and hand them out. Every rank gets the same bits. They are those of one tree over all
/// ranks (sum_tree.h) where there are two hosts, and with Algorithm::direct where hosts are a power of two and have
/// equally many ranks, or else that is refused.
class HostsRank final : public Communicator, private Pending::Source, private WaitingSeat::Duty {
 public:
  HostsRank(HostPlan plan, int64_t rank, HostsWays ways);
  ~HostsRank() override;

  int64_t rank() const override { return rank_; }
  int64_t world_size() const override { return plan_.ranks(); }
  void all_reduce(Tensor& tensor, const ReduceOptions& options) override;
  Pending all_reduce_async(Tensor& tensor, const ReduceOptions& options) override;
  void reduce_scatter(const Tensor& whole, Tensor& part) override;
  void all_gather(const Tensor& part, Tensor& whole) override;
  void broadcast(Tensor& tensor, int64_t root) override;
  Pending broadcast_async(Tensor& tensor, int64_t root) override;
  void send(const Tensor& tensor, int64_t to, int64_t tag) override;
  void expect_messages() override;
  void recv(Tensor& tensor, int64_t from, int64_t tag) override;
  void barrier() override;
  std::unique_ptr<Communicator> subgroup(const std::vector<int64_t>& ranks) override;

  int64_t bytes_sent() const override;
  double seconds_waiting() const override;
  double seconds_moving() const override;

 private:
  // An all-reduce, or the broadcast of a host's rank, that was started.
  struct InProgress {
    Tensor tensor;
    ReduceOptions options;
    std::optional<int64_t> from_host = std::nullopt;  // of a broadcast
    Pending up, across, down;
    bool up_done = false, sent_across = false, down_started = false, wanted = true;
    ReduceTimes times;
  };

  void progress() override;
  bool polls() const override;
  void forget() override {}
  bool advance(uint64_t ticket) override;
  ReduceTimes wait(uint64_t ticket) override;
  void let_go(uint64_t ticket) noexcept override;

  // Does `act`; where a rank is lost, its host knows which, and all others are told.
  template <class Act>
  auto guarded(const Act& act) -> decltype(act());
  ReduceTimes finish(uint64_t ticket);
  bool leads() const { return ways_.across != nullptr; }
  InProgress& in_progress(uint64_t ticket) { return in_progress_[ticket - oldest_]; }
  // The sums of two hosts have but one order.
  bool along_tree(const ReduceOptions& options) const {
    return options.algorithm == Algorithm::direct && plan_.hosts() > 2;
  }
  void check_order(const ReduceOptions& options) const;
  Pending start(InProgress one);
  // One to the network.
  void send_across(InProgress& one);
  // Among the hosts' sums.
  void reduce_across(Communicator& across, Tensor& tensor, const ReduceOptions& options);
  // Each starts what can be started for the operations up to `ticket`, in their order.
  void progress(uint64_t ticket);
  ProcessRank& for_messages(int64_t peer);

  const HostPlan plan_;
  const int64_t rank_, host_;
  const HostsWays ways_;
  std::deque<InProgress> in_progress_;
  uint64_t oldest_ = 0;     // ticket of the first
  bool moving_on_ = false;  // this rank waits for them already
};

}  // namespace tandem::comm

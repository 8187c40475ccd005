#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/comm/rank_mail.h"

namespace tandem::comm {

/// What speaks with the other processes for one rank.
struct ProcessBackend {
  c10::intrusive_ptr<c10d::Backend> backend;
  /// Ends its connections, and with them whatever waits on them here and on the other ranks.
  std::function<void()> close;
  /// The address by which other ranks reach this process, for messages (rank_mail.h).
  std::string host = {};
};

/// A rank that is a process: collectives by a backend of LibTorch's c10d, keys in a store that all ranks reach. The
/// algorithm is the backend's own. Tensors of all ranks must fit; c10d does not compare them. Messages go by RankMail:
/// c10d's wait for a receiver that asks, and cannot be asked how they are.
class ProcessRank final : public Communicator, private Pending::Source {
 public:
  /// Makes the backend of rank `rank` of `ranks`, whose keys are in `store`.
  using MakeBackend =
      std::function<ProcessBackend(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t ranks)>;

  /// `limit`: for each call. Throws PeerError, naming the ranks that are missing, when not all come within it.
  /// `numbers`: of the ranks in the whole job, for messages; empty: they are the whole job. `silent`: while it waits it
  /// asks this; what it returns, unless empty, ends the call.
  ProcessRank(c10::intrusive_ptr<c10d::Store> store, int64_t rank, int64_t ranks, std::chrono::milliseconds limit,
              MakeBackend make_backend, std::vector<int64_t> numbers = {}, std::function<std::string()> silent = {});

  ~ProcessRank() override;

  int64_t rank() const override { return rank_; }
  int64_t world_size() const override { return ranks_; }
  void all_reduce(Tensor& tensor, const ReduceOptions& options) override;
  Pending all_reduce_async(Tensor& tensor, const ReduceOptions& options) override;
  void reduce_scatter(const Tensor& whole, Tensor& part) override;
  void all_gather(const Tensor& part, Tensor& whole) override;
  void broadcast(Tensor& tensor, int64_t root) override;
  Pending broadcast_async(Tensor& tensor, int64_t root) override;
  void send(const Tensor& tensor, int64_t to, int64_t tag) override;
  void expect_messages() override { mail(); }
  void recv(Tensor& tensor, int64_t from, int64_t tag) override { recv_while(tensor, from, tag, {}); }
  /// The same; `idle` is called all the while.
  void recv_while(Tensor& tensor, int64_t from, int64_t tag, const std::function<void()>& idle);
  void barrier() override;
  std::unique_ptr<Communicator> subgroup(const std::vector<int64_t>& ranks) override;
  /// Ends the connections: the other ranks' calls, the one that is made here, and all later ones throw PeerError. From
  /// any thread.
  void abort(const std::string& reason);

  /// As the usual ring algorithms send them; c10d does not count.
  int64_t bytes_sent() const override { return bytes_sent_; }
  /// c10d does not tell waiting for others from moving data: all of it counts as moving.
  double seconds_waiting() const override { return 0; }
  double seconds_moving() const override { return seconds_; }

 private:
  using Work = c10::intrusive_ptr<c10d::Work>;
  struct InProgress {
    Work work;
    ReduceTimes times;
    std::string what;
    bool let_go = false;
  };

  bool advance(uint64_t ticket) override;
  ReduceTimes wait(uint64_t ticket) override;
  void let_go(uint64_t ticket) noexcept override;

  int64_t sent_to_reduce(const Tensor& tensor) const {
    return static_cast<int64_t>(tensor.nbytes()) * 2 * (ranks_ - 1) / ranks_;
  }
  // An operation that goes on; `begin` starts it, where there is something to do.
  Pending start(std::string call, bool idle, const std::function<Work(c10d::Backend&)>& begin);
  RankMail& mail();
  void check_alive(const char* call);
  /// Starts `begin` and waits until it has ended.
  void run(const std::string& call, const std::function<Work(c10d::Backend&)>& begin);
  void finish(const Work& work, const std::string& call);
  int64_t number_of(int64_t rank) const { return numbers_[static_cast<std::size_t>(rank)]; }
  void let_go_of_backends();
  void close_backends();
  std::string failure();
  /// Says that this rank knows of the end, and waits a little until at most so many others do not; they are returned.
  std::vector<int64_t> who_does_not_notice(std::size_t at_most);
  /// Ends the connections, so that the others notice too, asks who else noticed, and throws PeerError naming
  /// those that did not.
  [[noreturn]] void fail(const std::string& call, const std::string& why);

  c10::intrusive_ptr<c10d::Store> store_;
  int64_t rank_, ranks_;
  std::chrono::milliseconds limit_;
  MakeBackend make_backend_;
  std::vector<int64_t> numbers_;
  std::function<std::string()> silent_;
  // Backends match calls by their order alone, and operations that were only started begin among other calls, at other
  // places on each rank: so they have a backend of their own.
  ProcessBackend backend_, started_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards the backends against abort, and failure_
  std::string failure_;
  std::map<uint64_t, InProgress> in_progress_;
  uint64_t next_ticket_ = 1;
  std::unique_ptr<RankMail> mail_;            // from the first message on
  std::map<std::string, int64_t> subgroups_;  // made so far, by their ranks
  int64_t bytes_sent_ = 0;
  double seconds_ = 0;
};

}  // namespace tandem::comm

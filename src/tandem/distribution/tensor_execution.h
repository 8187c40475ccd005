#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tandem/distribution/execution.h"
#include "tandem/distribution/rank_memory.h"
#include "tandem/distribution/replica.h"
#include "tandem/distribution/replica_threads.h"
#include "tandem/distribution/tensor_ranks.h"
#include "tandem/sharding/local_network.h"

namespace tandem::distribute {

struct TensorSettings {
  Devices devices;     // of this process; those of a tensor group one after the other
  int64_t tensor = 1;  // ranks of a group
  int64_t threads_per_device = 1;
  int64_t memory_limit = 0;  // bytes of a device; 0: none
  /// Each one rank, one after the other as devices would be; null: this one has all ranks.
  std::shared_ptr<comm::Processes> processes = {};
};

/// Replicas of a model of which each is divided over the ranks of a tensor group. Of each of the parts there is an
/// execution of its own, with the replicas of that part; all of them make each step at the same time with the same
/// batch, and the layers of one replica's parts speak with one another. What everyone else sees is the model whole.
class TensorExecution final : public Execution {
 public:
  /// What executes one part of the model, a network of its own: `rank` (of this process's replicas of the part)
  /// computes within `within`, and its gradients are a part of those that `shards` says.
  struct Part {
    Program program;
    Devices devices;
    int64_t threads_per_device = 1;
    RankMemory memory = {};
    std::function<void(int64_t rank, const std::function<void()>& work)> within;
    std::function<GradientShards(const Replica&)> shards;
    std::shared_ptr<comm::Processes> processes;  // that have other replicas of the part
  };
  using MakePart = std::function<std::unique_ptr<Execution>(const Part&)>;

  TensorExecution(const Program& program, const TensorSettings& settings, const MakePart& make_part);

  StepResult train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) override;
  void finish_update(double rate) override;
  StepResult test_step(const data::Batch& batch, const Observer& observer) override;
  Tensors predict_step(const data::Batch& batch) override;
  void load() override;
  void store() override;
  int64_t steps() const override { return parts_.front()->steps(); }
  int64_t iterations() const override { return parts_.front()->iterations(); }
  StateDict optimizer_state() override;
  void set_optimizer_state(const StateDict& state) override;
  Peers* peers() override { return peers_.get(); }
  data::OwnRows own_rows() const override { return parts_.front()->own_rows(); }
  void align() override;
  std::vector<int64_t> receipt(int64_t rows) override;
  void part(const std::string& reason) override;
  const Devices& devices() const override { return settings_.devices; }
  /// The replicas here: an Observer sees each row once.
  int64_t ranks() const override { return parts_.front()->ranks(); }
  /// Each part of a replica sees its rows.
  std::vector<int64_t> division(int64_t rows) const override;
  std::vector<int64_t> rows_trained() const override;
  int64_t bytes_sent(int64_t device) const override;
  DeviceMemory memory(int64_t device) const override;
  TimeShares time_shares(int64_t device) const override;
  int64_t threads_per_device() const override { return settings_.threads_per_device; }
  void record_trace(bool on) override;
  std::vector<TraceSpan> trace() const override;
  StepLedger ledger(int64_t rank) const override { return parts_.front()->ledger(rank); }

 private:
  Part part_settings(int64_t p);
  GradientShards shards_of(int64_t p, const Replica& replica) const;
  // On a thread for each part; what fails on one rank ends the waits of all. The first part's results are everyone's,
  // and the observer of it alone sees rows.
  void run(const std::function<void(int64_t p, Execution&)>& work);
  bool observes(int64_t p) const { return ranks_->first_part() + p == 0; }
  void note_failure();
  sharding::Place place(int64_t p) const { return {ranks_->first_part() + p, settings_.tensor}; }
  int64_t here() const { return ranks_->parts(); }
  std::vector<int64_t> by_device(const std::vector<int64_t>& by_replica) const;
  const Execution& part_of_device(int64_t device) const { return *parts_[static_cast<std::size_t>(device % here())]; }
  const comm::Communicator& communicator(int64_t device) const;
  // By device, in exchanges with the other parts so far.
  std::vector<TimeShares> spent_in_groups() const;
  std::vector<uint32_t> master_versions() const;
  // Puts the parts of what is divided together, those of other processes included: `own` of each part here.
  void join(const Tensor& whole, const sharding::LocalWeight& how, const std::vector<Tensor>& own);
  // Where weight i of those that are trained is on part p: its number there, and how its values come to it.
  struct Home {
    int64_t number = 0;
    const sharding::LocalWeight* local = nullptr;  // null: the weight itself
  };
  Home home_of(std::size_t i, int64_t p) const;
  StateDict joined_state();
  // Throws InvalidArgument naming the rank whose model is another.
  void check_same_program();
  bool over_processes() const { return peers_ != nullptr; }

  Program program_;
  TensorSettings settings_;
  std::unique_ptr<Peers> peers_;  // null: alone
  std::unique_ptr<TensorRanks> ranks_;
  std::vector<sharding::LocalNetwork> locals_;  // by part
  std::vector<Weight> trained_;
  std::vector<std::vector<Weight>> own_trained_;  // by part
  std::vector<uint32_t> loaded_versions_;         // of the masters, when the parts were last the same
  bool ahead_ = false;                            // parts have learned what the masters do not know yet
  // Of several processes: one alone may be asked for the state, so that all put it together whenever they store.
  StateDict state_;
  int64_t state_steps_ = -1;                         // when that was
  bool given_weights_ = true, given_state_ = false;  // since the processes were last the same
  bool parted_ = false;
  std::vector<TimeShares> exchanged_;  // by device, with the other parts while it trained
  Peers::Topic align_topic_;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // the first of the step
  std::vector<std::unique_ptr<Execution>> parts_;
  ReplicaThreads threads_;  // last: they end before what they use
};

}  // namespace tandem::distribute

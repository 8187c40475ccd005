#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tandem/comm/rank_group.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/pipeline_plan.h"
#include "tandem/distribution/pipeline_rank.h"
#include "tandem/distribution/pipeline_stage.h"
#include "tandem/distribution/rank_figures.h"
#include "tandem/distribution/replica_threads.h"
#include "tandem/distribution/row_receipt.h"
#include "tandem/layers/call_trace.h"

namespace tandem::distribute {

/// Replicas of a pipeline, each stage a thread of this process, and maybe of others: what PipelineParallel binds a
/// program to. Rank r of all processes is stage r % stages of replica r / stages; this process's are `first_` and those
/// after it, one a device.
class PipelineExecution final : public Execution {
 public:
  PipelineExecution(const Program& program, const PipelineSettings& settings);

  StepResult train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) override;
  void finish_update(double rate) override;
  StepResult test_step(const data::Batch& batch, const Observer& observer) override;
  Tensors predict_step(const data::Batch& batch) override;
  void load() override;
  void store() override;
  Peers* peers() override { return peers_.get(); }
  data::OwnRows own_rows() const override;
  void align() override;
  std::vector<int64_t> receipt(int64_t rows) override;
  void part(const std::string& reason) override;
  int64_t steps() const override { return steps_; }
  int64_t iterations() const override { return iterations_; }
  StateDict optimizer_state() override;
  void set_optimizer_state(const StateDict& state) override;
  const Devices& devices() const override { return settings_.devices; }
  /// One a replica whose last stage is here.
  int64_t ranks() const override { return std::max<int64_t>(1, replicas_ending_here()); }
  /// Each stage sees each row of its replica.
  std::vector<int64_t> division(int64_t rows) const override;
  std::vector<int64_t> rows_trained() const override;
  int64_t bytes_sent(int64_t device) const override;
  DeviceMemory memory(int64_t device) const override;
  TimeShares time_shares(int64_t device) const override;
  int64_t threads_per_device() const override { return settings_.threads_per_device; }
  void record_trace(bool on) override;
  std::vector<TraceSpan> trace() const override;
  /// `device`: of this process.
  StepLedger ledger(int64_t device) const override;

  const PipelinePlan& plan() const { return plan_; }

 private:
  PipelineSeat seat(int64_t device) const { return PipelineSeat::of(first_ + device, plan_.division.stages); }
  const PipelineStage& stage(int64_t device) const { return *stages_[static_cast<std::size_t>(device)]; }
  // Replicas [first, end) that have a stage here, or their last one.
  std::pair<int64_t, int64_t> replicas_here() const;
  std::pair<int64_t, int64_t> last_stages_here() const;
  int64_t replicas_ending_here() const { return last_stages_here().second - last_stages_here().first; }
  int64_t process_of(int64_t rank) const { return rank / settings_.devices.size(); }
  // Rows of each replica, and where each one's begin.
  std::vector<int64_t> rows_by_replica(const data::Batch& batch) const;
  // By device: its replica's rows of `batch`.
  std::vector<data::Batch> cut(const data::Batch& batch, const std::vector<int64_t>& rows) const;
  // On every stage's thread.
  void run(const std::function<void(int64_t device, PipelineStage&)>& work);
  // Of all ranks.
  StepResult figures(int64_t rows);
  void end_group();
  // Optimizer state: this process's weights' slots as files have them, and those of a state that has all.
  void put_slots(StateDict& state);
  void take_slots(const StateDict& state);
  std::string slot_name(const std::string& slot, const Weight& weight) const;
  // Whether a device is the first one here that has its stage.
  bool speaks_for_stage(int64_t device) const { return device < plan_.division.stages; }
  // All processes get what each has of weights, or of the optimizer's slots.
  void share_weights();
  void share_slots();
  // The first process's, to all.
  void take_first_state();
  std::vector<uint32_t> master_versions() const;

  Program program_;
  PipelineSettings settings_;
  std::unique_ptr<Peers> peers_;  // null: alone
  PipelinePlan plan_;
  std::unique_ptr<comm::RankGroup> group_;
  const int64_t first_;
  std::vector<std::unique_ptr<PipelineRank>> ranks_;
  std::vector<std::unique_ptr<PipelineStage>> stages_;  // by device
  std::vector<Weight> masters_, trained_;
  std::vector<CallTrace> traces_;
  std::vector<uint32_t> loaded_versions_;  // of the masters, when stages and they were last the same
  int64_t steps_ = 0, iterations_ = 0, group_rows_ = 0;
  bool ahead_ = false;         // stages have learned what the masters do not know yet
  bool given_weights_ = true;  // masters were set since processes were last the same
  bool given_state_ = false;   // the optimizer's state was
  bool parted_ = false;        // from the other processes, for good
  /// With other processes: the slots of all weights, as they were when store was called last.
  std::optional<StateDict> all_slots_;
  RowReceipt receipt_;
  Peers::Topic figures_topic_, align_topic_, receipt_topic_, outputs_topic_;
  ReplicaThreads threads_;  // last: they end before what they use
};

}  // namespace tandem::distribute

#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/comm/local_group.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/pipeline_plan.h"
#include "tandem/distribution/pipeline_stage.h"
#include "tandem/distribution/replica_threads.h"
#include "tandem/layers/call_trace.h"

namespace tandem::distribute {

/// The stages of a pipeline as threads of this process: what PipelineParallel binds a program to.
class PipelineExecution final : public Execution {
 public:
  PipelineExecution(const Program& program, const PipelineSettings& settings, int64_t threads_per_device);

  StepResult train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) override;
  void finish_update(double rate) override;
  StepResult test_step(const data::Batch& batch, const Observer& observer) override;
  Tensors predict_step(const data::Batch& batch) override;
  void load() override;
  void store() override;
  int64_t steps() const override { return steps_; }
  int64_t iterations() const override { return iterations_; }
  StateDict optimizer_state() override;
  void set_optimizer_state(const StateDict& state) override;
  const Devices& devices() const override { return plan_.devices; }
  int64_t ranks() const override { return 1; }
  /// Each stage sees each row.
  std::vector<int64_t> division(int64_t rows) const override;
  std::vector<int64_t> rows_trained() const override;
  int64_t bytes_sent(int64_t device) const override;
  DeviceMemory memory(int64_t device) const override;
  TimeShares time_shares(int64_t device) const override;
  int64_t threads_per_device() const override { return threads_per_device_; }
  void record_trace(bool on) override;
  std::vector<TraceSpan> trace() const override;

  const PipelinePlan& plan() const { return plan_; }

 private:
  PipelineStage& stage(int64_t s) { return *stages_[static_cast<std::size_t>(s)]; }
  const PipelineStage& stage(int64_t s) const { return *stages_[static_cast<std::size_t>(s)]; }
  // On every stage's thread.
  void run(const std::function<void(PipelineStage&)>& work);
  StepResult figures(int64_t rows) const;
  void end_group();
  // Where weight i of those that are trained lies: its first stage, and its number there.
  std::pair<Replica*, std::size_t> home_of(std::size_t i);

  Program program_;
  PipelinePlan plan_;
  int64_t threads_per_device_;
  comm::LocalGroup group_;
  std::vector<std::unique_ptr<PipelineStage>> stages_;
  std::vector<Weight> trained_;
  std::vector<CallTrace> traces_;
  int64_t steps_ = 0, iterations_ = 0, group_rows_ = 0;
  bool ahead_ = false;      // stages have learned what the masters do not know yet
  ReplicaThreads threads_;  // last: they end before what they use
};

}  // namespace tandem::distribute

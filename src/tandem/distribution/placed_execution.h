#pragma once
#include <optional>
#include <vector>

#include "tandem/distribution/execution.h"
#include "tandem/distribution/placed_graphs.h"
#include "tandem/distribution/replicated.h"

namespace tandem::distribute {

/// One replica whose layers are spread over devices: what AsPlaced binds a program to. The first device's thread is the
/// replica's; it computes the loss and makes the updates.
class PlacedExecution final : public Execution {
 public:
  PlacedExecution(const Program& program, const Devices& devices, const Device& unscoped, int64_t threads_per_device);

  StepResult train_step(const data::Batch& batch, const TrainStep& step, const Observer& observer) override;
  void finish_update(double rate) override { replica_.finish_update(rate); }
  StepResult test_step(const data::Batch& batch, const Observer& observer) override {
    return replica_.test_step(batch, observer);
  }
  Tensors predict_step(const data::Batch& batch) override { return replica_.predict_step(batch); }
  bool looks_ahead() const override { return replica_.looks_ahead(); }
  void expect(const data::Batch& batch) override { replica_.expect(batch); }
  void synchronize() override { replica_.synchronize(); }
  void load() override { replica_.load(); }
  void store() override { replica_.store(); }
  int64_t steps() const override { return replica_.steps(); }
  int64_t iterations() const override { return replica_.iterations(); }
  StateDict optimizer_state() override { return replica_.optimizer_state(); }
  void set_optimizer_state(const StateDict& state) override { replica_.set_optimizer_state(state); }
  const Devices& devices() const override { return graphs_.devices().devices(); }
  int64_t ranks() const override { return 1; }
  /// Each device sees each row.
  std::vector<int64_t> division(int64_t rows) const override;
  std::vector<int64_t> rows_trained() const override;
  int64_t bytes_sent(int64_t device) const override;
  /// The first device's are the replica's, in which CPUs compute too; a GPU beside it has copies.
  DeviceMemory memory(int64_t device) const override;
  TimeShares time_shares(int64_t device) const override;
  int64_t threads_per_device() const override { return replica_.threads_per_device(); }
  StepLedger ledger(int64_t rank) const override { return replica_.ledger(rank); }
  void record_trace(bool on) override;
  std::vector<TraceSpan> trace() const override;

 private:
  PlacedGraphs graphs_;
  Replicated replica_;  // last: it ends before what it computes with
};

}  // namespace tandem::distribute

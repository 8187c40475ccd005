// Pipelines: what happened, from the stages, the communicators and the clocks.
#include "tandem/data/divide_rows.h"
#include "tandem/distribution/pipeline_execution.h"

namespace tandem::distribute {

std::vector<int64_t> PipelineExecution::division(int64_t rows) const {
  const auto by_replica = data::divide_rows(rows, settings_.data);
  std::vector<int64_t> by_device;
  for (int64_t d = 0; d < settings_.devices.size(); ++d)
    by_device.push_back(by_replica[static_cast<std::size_t>(seat(d).replica)]);
  return by_device;
}

std::vector<int64_t> PipelineExecution::rows_trained() const {
  std::vector<int64_t> rows;
  for (const auto& stage : stages_) rows.push_back(stage->replica().rows_trained);
  return rows;
}

int64_t PipelineExecution::bytes_sent(int64_t device) const { return stage(device).ways().bytes_sent(); }

DeviceMemory PipelineExecution::memory(int64_t device) const {
  StorageBytes parameters, gradients, optimizer;
  stage(device).replica().add_memory(parameters, gradients, optimizer);
  return {parameters.bytes(), gradients.bytes(), optimizer.bytes()};
}

TimeShares PipelineExecution::time_shares(int64_t device) const {
  const auto& ways = stage(device).ways();
  return {.compute = stage(device).seconds_computing(),
          .exchange = ways.seconds_moving(),
          .waiting = ways.seconds_waiting()};
}

StepLedger PipelineExecution::ledger(int64_t device) const {
  const auto* ledger = stage(device).ledger();
  return ledger ? *ledger : StepLedger{};
}

void PipelineExecution::record_trace(bool on) {
  if (on) {
    traces_.clear();
    for (int64_t d = 0; d < settings_.devices.size(); ++d)
      traces_.emplace_back(settings_.devices[d].to_string(), stage(d).replica().gathered());
  }
  for (std::size_t d = 0; d < stages_.size(); ++d) stages_[d]->replica().trace = on ? &traces_[d] : nullptr;
}

std::vector<TraceSpan> PipelineExecution::trace() const { return spans_of(traces_); }

}  // namespace tandem::distribute

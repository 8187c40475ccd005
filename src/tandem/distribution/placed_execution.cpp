#include "tandem/distribution/placed_execution.h"

namespace tandem::distribute {

PlacedExecution::PlacedExecution(const Program& program, const Devices& devices, const Device& unscoped,
                                 int64_t threads_per_device)
    : graphs_(*program.network, devices, unscoped, threads_per_device),
      replica_(program, {.devices = {devices[0]}, .threads_per_device = threads_per_device, .placed = [this](int64_t) {
                           return &graphs_;
                         }}) {}

StepResult PlacedExecution::train_step(const data::Batch& batch, const TrainStep& step, const Observer& observer) {
  return replica_.train_step(batch, step, observer);
}

std::vector<int64_t> PlacedExecution::division(int64_t rows) const {
  return std::vector<int64_t>(static_cast<std::size_t>(devices().size()), rows);
}

std::vector<int64_t> PlacedExecution::rows_trained() const { return division(replica_.rows_trained().front()); }

int64_t PlacedExecution::bytes_sent(int64_t device) const {
  return graphs_.devices().bytes_sent(static_cast<std::size_t>(device));
}

DeviceMemory PlacedExecution::memory(int64_t device) const {
  if (device == 0) return replica_.memory(0);
  return {.parameters = graphs_.devices().weights().bytes_of_copies(static_cast<std::size_t>(device))};
}

TimeShares PlacedExecution::time_shares(int64_t device) const {
  const auto& devices = graphs_.devices();
  const double total = replica_.time_shares(0).compute;  // of the replica's thread, its waits among it
  const double computing =
      device == 0 ? total - devices.seconds_waiting() : devices.seconds_computing(static_cast<std::size_t>(device));
  return {.compute = computing, .exchange = 0, .waiting = total - computing};
}

void PlacedExecution::record_trace(bool on) {
  replica_.record_trace(on);
  if (on) graphs_.devices().reset_traces();
}

std::vector<TraceSpan> PlacedExecution::trace() const {
  auto spans = replica_.trace();
  const auto others = graphs_.devices().trace_spans();
  spans.insert(spans.end(), others.begin(), others.end());
  return spans;
}

}  // namespace tandem::distribute

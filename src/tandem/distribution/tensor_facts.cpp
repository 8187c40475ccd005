// TensorExecution: what happened, by device.
#include <algorithm>

#include "tandem/distribution/tensor_execution.h"

namespace tandem::distribute {

std::vector<int64_t> TensorExecution::by_device(const std::vector<int64_t>& by_replica) const {
  std::vector<int64_t> all;
  for (const int64_t one : by_replica) all.insert(all.end(), static_cast<std::size_t>(here()), one);
  return all;
}

std::vector<int64_t> TensorExecution::division(int64_t rows) const { return by_device(parts_.front()->division(rows)); }

std::vector<int64_t> TensorExecution::rows_trained() const { return by_device(parts_.front()->rows_trained()); }

const comm::Communicator& TensorExecution::communicator(int64_t device) const {
  return std::as_const(*ranks_).rank(device / here(), device % here());
}

int64_t TensorExecution::bytes_sent(int64_t device) const {
  return part_of_device(device).bytes_sent(device / here()) + communicator(device).bytes_sent();
}

DeviceMemory TensorExecution::memory(int64_t device) const { return part_of_device(device).memory(device / here()); }

std::vector<TimeShares> TensorExecution::spent_in_groups() const {
  std::vector<TimeShares> spent;
  for (int64_t device = 0; device < settings_.devices.size(); ++device) {
    const auto& group = communicator(device);
    spent.push_back({.exchange = group.seconds_moving(), .waiting = group.seconds_waiting()});
  }
  return spent;
}

// To a part, what it exchanges within the group while it trains is a piece of its computing.
TimeShares TensorExecution::time_shares(int64_t device) const {
  auto shares = part_of_device(device).time_shares(device / here());
  const auto& group = exchanged_[static_cast<std::size_t>(device)];
  shares.compute = std::max(0.0, shares.compute - group.exchange - group.waiting);
  shares.exchange += group.exchange;
  shares.waiting += group.waiting;
  return shares;
}

void TensorExecution::record_trace(bool on) {
  for (auto& part : parts_) part->record_trace(on);
}

std::vector<TraceSpan> TensorExecution::trace() const {
  std::vector<TraceSpan> all;
  for (const auto& part : parts_) {
    const auto spans = part->trace();
    all.insert(all.end(), spans.begin(), spans.end());
  }
  return all;
}

}  // namespace tandem::distribute

#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/process_rank.h"
#include "tandem/comm/processes.h"

namespace tandem::comm {

/// Processes that speak by a backend of c10d, whether they share a host or not.
class BackendProcesses final : public Processes {
 public:
  /// `limit`: for meeting, and for each call. `make_backend` is called for each group of ranks that is formed.
  BackendProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t rank, int64_t ranks, std::chrono::milliseconds limit,
                   ProcessRank::MakeBackend make_backend);

  Communicator& rank() override { return *rank_; }
  /// One rank a process so far: throws InvalidArgument on more.
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override;

 private:
  std::unique_ptr<ProcessRank> join(const c10::intrusive_ptr<c10d::Store>& store) const;

  c10::intrusive_ptr<c10d::Store> store_;
  int64_t own_, ranks_;
  std::chrono::milliseconds limit_;
  ProcessRank::MakeBackend make_backend_;
  int64_t groups_ = 0;  // made so far
  std::unique_ptr<ProcessRank> rank_;
};

}  // namespace tandem::comm

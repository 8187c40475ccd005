#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/process_rank.h"
#include "tandem/comm/processes.h"

namespace tandem::comm {

/// Processes that speak by LibTorch's Gloo, whether they share a host or not.
class GlooProcesses final : public Processes {
 public:
  /// `host`: this process's own address for the others. `limit`: for meeting, and for each call.
  GlooProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t rank, int64_t ranks, std::string host,
                std::chrono::milliseconds limit);

  Communicator& rank() override { return *rank_; }
  /// One rank a process so far: throws InvalidArgument on more.
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override;
  void abort(const std::string& reason) override { rank_->abort(reason); }

 private:
  std::unique_ptr<ProcessRank> join(const c10::intrusive_ptr<c10d::Store>& store) const;

  c10::intrusive_ptr<c10d::Store> store_;
  int64_t own_, ranks_;
  std::string host_;
  std::chrono::milliseconds limit_;
  int64_t groups_ = 0;  // made so far
  std::unique_ptr<ProcessRank> rank_;
};

}  // namespace tandem::comm

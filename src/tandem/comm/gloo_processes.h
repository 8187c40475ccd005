#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/process_rank.h"
#include "tandem/comm/processes.h"
#include "tandem/comm/store_pulse.h"

namespace tandem::comm {

/// Processes that speak by LibTorch's Gloo, whether they share a host or not.
class GlooProcesses final : public Processes {
 public:
  struct Options {
    std::string host;                   // this process's own address for the others
    double limit_seconds = 60;          // for meeting, and for each call
    double silence_seconds = 10;        // after which a process that does not count is given up
    std::vector<int64_t> numbers = {};  // as in ProcessRank
  };
  GlooProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t rank, int64_t ranks, Options options);

  Communicator& rank() override { return *rank_; }
  /// One rank a process so far: throws InvalidArgument on more.
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override;

 private:
  std::unique_ptr<ProcessRank> join(const c10::intrusive_ptr<c10d::Store>& store) const;

  c10::intrusive_ptr<c10d::Store> store_;
  const int64_t own_, ranks_;
  Options options_;
  int64_t groups_ = 0;  // made so far
  std::unique_ptr<StorePulse> pulse_;
  std::unique_ptr<ProcessRank> rank_;
};

}  // namespace tandem::comm

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

/// Processes that speak by a backend of c10d, whether they share a host or not.
class BackendProcesses final : public Processes {
 public:
  struct Options {
    double limit_seconds = 60;          // for meeting, and for each call
    double silence_seconds = 10;        // after which a process that cannot run, or be reached, is given up
    std::vector<int64_t> numbers = {};  // as in ProcessRank
  };
  /// `make_backend` is called for each group of ranks that is formed.
  BackendProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t rank, int64_t ranks, Options options,
                   ProcessRank::MakeBackend make_backend);

  ProcessRank& rank() override { return *rank_; }
  /// One rank a process so far: throws InvalidArgument on more.
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override;
  void abort(const std::string& reason) override { rank_->abort(reason); }
  /// Rank `own` of a further group, of the processes that `numbers` names (as in ProcessRank), which call this alike.
  std::unique_ptr<ProcessRank> join(const c10::intrusive_ptr<c10d::Store>& store, int64_t own,
                                    const std::vector<int64_t>& numbers) const;

 private:
  c10::intrusive_ptr<c10d::Store> store_;
  const int64_t own_;
  Options options_;
  ProcessRank::MakeBackend make_backend_;
  int64_t groups_ = 0;  // made so far
  std::unique_ptr<StorePulse> pulse_;
  std::unique_ptr<ProcessRank> rank_;
};

}  // namespace tandem::comm

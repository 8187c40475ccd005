#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/gloo_processes.h"
#include "tandem/comm/hosts_rank.h"
#include "tandem/comm/processes.h"
#include "tandem/comm/shared_processes.h"

namespace tandem::comm {

/// Processes on several hosts: those of a host share memory, the first ones of all hosts speak by Gloo (hosts_rank.h).
class HostsProcesses final : public Processes {
 public:
  struct Options {
    std::string host;  // this process's own address for the other hosts
    double limit_seconds = 60, silence_seconds = 10;
  };
  /// `plan`: of the processes.
  HostsProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t process, HostPlan plan, const Options& options);
  ~HostsProcesses() override;

  Communicator& rank() override { return *rank_; }
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override;
  void abort(const std::string& reason) override;

 private:
  const int64_t process_;
  const HostPlan plan_;
  std::unique_ptr<SharedProcesses> here_;
  std::unique_ptr<GlooProcesses> all_, across_;  // across_: on the first process of a host
  std::unique_ptr<RankGroup> down_, across_started_;
  std::unique_ptr<HostsRank> rank_;
};

/// The hosts of a job by each process's shared_memory_place(); nothing where those of a host do not follow one another.
std::optional<HostPlan> plan_hosts(const std::vector<std::string>& places);

}  // namespace tandem::comm

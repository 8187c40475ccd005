#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/backend_processes.h"
#include "tandem/comm/hosts_rank.h"
#include "tandem/comm/processes.h"
#include "tandem/comm/shared_processes.h"

namespace tandem::comm {

/// Processes on several hosts: those of a host share memory, the first ones of all hosts speak by a
/// backend of c10d (hosts_rank.h).
class HostsProcesses final : public Processes {
 public:
  /// `plan`: of the processes. `make_backend`: of what goes between hosts.
  HostsProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t process, HostPlan plan,
                 const BackendProcesses::Options& limits, const ProcessRank::MakeBackend& make_backend);
  ~HostsProcesses() override;

  Communicator& rank() override { return group_->rank(group_->first()); }
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override;
  void abort(const std::string& reason) override;

 private:
  // Among the first processes of all hosts, this one being so.
  std::unique_ptr<ProcessRank> join_leaders(const std::string& name) const;

  c10::intrusive_ptr<c10d::Store> store_;
  const HostPlan plan_;
  const int64_t host_;
  const bool leads_;  // this process is its host's first
  std::unique_ptr<SharedProcesses> here_;
  std::unique_ptr<BackendProcesses> all_;
  int64_t groups_ = 0;  // made so far
  std::unique_ptr<RankGroup> group_;
};

/// The hosts of a job by each process's shared_memory_place(); nothing where those of a host do not follow one another.
std::optional<HostPlan> plan_hosts(const std::vector<std::string>& places);

}  // namespace tandem::comm

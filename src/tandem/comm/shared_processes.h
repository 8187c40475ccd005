#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/processes.h"
#include "tandem/comm/shared_hub.h"
#include "tandem/comm/shared_pulse.h"

namespace tandem::comm {

/// Processes of one host that exchange through memory that they share. An end of one is noticed within a second, a
/// silence within `silence_seconds`; after either every call of the others throws PeerError that names it.
class SharedProcesses final : public Processes {
 public:
  /// All processes' `store` has the same keys; it is used while processes meet. `limit_seconds`: for that, and for each
  /// call. Throws PeerError naming who does not come.
  SharedProcesses(c10::intrusive_ptr<c10d::Store> store, const OneHost& host, double limit_seconds,
                  double silence_seconds);
  ~SharedProcesses() override;

  Communicator& rank() override { return group_->rank(group_->first()); }
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override;
  /// Several groups of the same ranks, that wait and fail together.
  std::vector<std::unique_ptr<RankGroup>> spread_side_by_side(int64_t groups, int64_t here,
                                                              const std::vector<std::shared_ptr<Turns>>& turns);
  void abort(const std::string& reason) override { group_->abort(reason); }

 private:
  // Memory of these sizes that all processes have.
  std::vector<SharedMemory> meet(const std::string& name, const std::vector<std::size_t>& bytes);

  c10::intrusive_ptr<c10d::Store> store_;
  const OneHost host_;
  const double limit_seconds_;
  std::shared_ptr<SharedPulse> pulse_;
  int64_t groups_ = 0;  // made so far
  std::unique_ptr<RankGroup> group_;
};

/// Equal for processes that can share memory: same host, user, and name spaces of processes and of the network.
std::string shared_memory_place();

}  // namespace tandem::comm

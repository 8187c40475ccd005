#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/comm/rank_group.h"
#include "tandem/comm/turns.h"

namespace tandem::comm {

/// The processes of a job that have met.
class Processes {
 public:
  virtual ~Processes() = default;
  /// This process among the others; to be used by one thread at a time.
  virtual Communicator& rank() = 0;
  /// Ranks that are threads, `here` in each process, numbered process by process. `turns` as in LocalGroup, for this
  /// process's. Collective: all processes call it as often, with the same `here`. The group must not outlive this.
  virtual std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns = {}) = 0;
  /// This process has failed: ends the waits of rank() in all processes with PeerError, and all that comes later. Where
  /// processes have no such way the others notice when this one ends.
  virtual void abort(const std::string& /*reason*/) {}
};

}  // namespace tandem::comm

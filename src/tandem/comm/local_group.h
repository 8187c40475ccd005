#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/comm/turns.h"

namespace tandem::comm {

class LocalHub;
class LocalRank;

/// Ranks that are threads of this process: each reads and writes the others' tensors in place.
class LocalGroup {
 public:
  /// `limit_seconds`: how long a rank waits for the others in one call. `turns`: by rank, those of the device that it
  /// shares with others, or null; empty: all ranks compute at once. A rank must hold a turn when it makes a call.
  explicit LocalGroup(int64_t world_size, double limit_seconds = 600,
                      const std::vector<std::shared_ptr<Turns>>& turns = {});
  ~LocalGroup();

  int64_t world_size() const;
  /// The communicator of one rank; to be used by one thread at a time.
  Communicator& rank(int64_t r);
  const Communicator& rank(int64_t r) const;
  /// Ends the waits of all ranks, in sub-groups too, with PeerError that gives `reason`: a rank has failed.
  void abort(const std::string& reason);
  /// Makes the group and its sub-groups usable again after abort, without what was in progress; no rank may be in a
  /// call.
  void reset();

 private:
  std::shared_ptr<LocalHub> hub_;
  std::vector<std::unique_ptr<LocalRank>> ranks_;
};

}  // namespace tandem::comm

#pragma once
#include <cstdint>
#include <string>

#include "tandem/comm/communicator.h"

namespace tandem::comm {

/// Ranks that are threads of this process, whatever they compute on: all that there are, or, of a job of several
/// processes, this one's part of them.
class RankGroup {
 public:
  virtual ~RankGroup() = default;
  /// Ranks in all processes.
  virtual int64_t world_size() const = 0;
  /// This process's own are [first(), first() + here()).
  virtual int64_t first() const { return 0; }
  virtual int64_t here() const { return world_size(); }
  /// The communicator of one rank of this process; to be used by one thread at a time.
  virtual Communicator& rank(int64_t r) = 0;
  virtual const Communicator& rank(int64_t r) const = 0;
  /// Ends the waits of all ranks, in sub-groups too, with PeerError that gives `reason`: a rank has failed.
  virtual void abort(const std::string& reason) = 0;
  /// Makes the group and its sub-groups usable again after abort, without what was in progress; no rank may be in a
  /// call.
  virtual void reset() = 0;
};

}  // namespace tandem::comm

#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"

namespace tandem::comm {

/// Ranks that are threads of this process: each reads the others' tensors in place. An all-reduce is "direct": every
/// rank adds up one slice straight out of all buffers, in the order of ranks, and then copies the slices of the others.
class LocalGroup {
 public:
  /// `limit_seconds`: how long a rank waits for the others in one collective.
  explicit LocalGroup(int64_t world_size, double limit_seconds = 600);
  ~LocalGroup();

  int64_t world_size() const;
  /// The communicator of one rank; to be used by one thread at a time.
  Communicator& rank(int64_t r);
  /// Ends the waits of all ranks with PeerError that gives `reason`: a rank has failed.
  void abort(const std::string& reason);
  /// Makes the group usable again after abort; no rank may be in a collective.
  void reset();

 private:
  struct Shared;
  class Rank;
  std::shared_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace tandem::comm

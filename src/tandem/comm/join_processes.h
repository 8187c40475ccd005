#pragma once
#include <memory>
#include <string>

#include "tandem/cluster/membership.h"
#include "tandem/comm/processes.h"

namespace tandem::comm {

struct JoinOptions {
  /// "auto": by shared memory on a host and Gloo between hosts; "gloo", "mpi" (under mpirun): in any case.
  std::string backend = "auto";
  double limit_seconds = 60;    // for coming, and for each call
  double silence_seconds = 10;  // after which a process that cannot run, or be reached, is given up
  std::string interface = {};   // as find_meeting_place has it
};

/// Meets the other ranks of `member`'s job (find_meeting_place) and joins them. Throws InvalidArgument where nothing
/// says where to meet, or in a build without ZeroMQ, Gloo's headers or what the backend needs; PeerError naming the
/// ranks that do not come.
std::shared_ptr<Processes> join_processes(const cluster::Membership& member, const JoinOptions& options);

}  // namespace tandem::comm

#pragma once
#include <memory>
#include <string>

#include "tandem/cluster/membership.h"
#include "tandem/comm/processes.h"

namespace tandem::comm {

struct JoinOptions {
  std::string backend = "auto";  // by shared memory where all processes are on one host, else by Gloo; "gloo"
  double limit_seconds = 60;     // for coming, and for each call
  double silence_seconds = 10;   // after which a process of this host that cannot run is given up
};

/// Meets the other ranks of `member`'s job and joins them. Rank 0 listens at the job's address, with the key in
/// TANDEM_JOB_KEY where that is set, which it must be beyond loopback; torchrun's own store is joined where it asks for
/// that (TORCHELASTIC_USE_AGENT_STORE). Throws InvalidArgument where nothing says where to meet, or in a build without
/// ZeroMQ or Gloo's headers; PeerError naming the ranks that do not come.
std::shared_ptr<Processes> join_processes(const cluster::Membership& member, const JoinOptions& options);

}  // namespace tandem::comm

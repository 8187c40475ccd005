#pragma once
#include <memory>

#include "tandem/cluster/membership.h"
#include "tandem/comm/processes.h"

namespace tandem::comm {

/// Meets the other ranks of `member`'s job and joins them by Gloo. Rank 0 listens at
/// the job's address, with the key in TANDEM_JOB_KEY where that is set, which it must be beyond loopback; torchrun's
/// own store is joined where it asks for that (TORCHELASTIC_USE_AGENT_STORE). `limit_seconds`: for coming, and for each
/// collective. Throws InvalidArgument where nothing says where to meet, or in a build without ZeroMQ or Gloo's headers;
/// PeerError naming the ranks that do not come.
std::shared_ptr<Processes> join_processes(const cluster::Membership& member, double limit_seconds);

}  // namespace tandem::comm

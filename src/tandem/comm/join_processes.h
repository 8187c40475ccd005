#pragma once
#include <memory>
#include <string>

#include "tandem/cluster/membership.h"
#include "tandem/comm/processes.h"

namespace tandem::comm {

struct JoinOptions {
  double limit_seconds = 60;   // for coming, and for each collective
  std::string interface = {};  // as find_meeting_place has it
};

/// Meets the other ranks of `member`'s job (find_meeting_place) and joins them by Gloo. Throws InvalidArgument where
/// nothing says where to meet, or in a build without ZeroMQ or Gloo's headers; PeerError naming the ranks that do not
/// come.
std::shared_ptr<Processes> join_processes(const cluster::Membership& member, const JoinOptions& options);

}  // namespace tandem::comm

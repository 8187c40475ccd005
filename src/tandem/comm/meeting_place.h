#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tandem/cluster/membership.h"
#include "tandem/comm/meeting_point.h"

namespace tandem::comm {

/// Where a job's ranks meet, as one of them has it.
struct MeetingPlace {
  c10::intrusive_ptr<c10d::Store> store;
  std::unique_ptr<MeetingPoint> point;  // rank 0's, which answers all stores; null elsewhere, and under torchrun
  std::string own_address;              // by which the other ranks reach this process
};

/// Finds the place as `member` says: at a given address, with the key in TANDEM_JOB_KEY, or in torchrun's own store;
/// where none was given rank 0 opens one on a free port, with a key of its own, and tells the others through MPI or a
/// file. `interface`: names of the network interface to be reached by; empty: TANDEM_INTERFACE, GLOO_SOCKET_IFNAME,
/// else the loopback interface where all ranks share a host, and the one on the way to rank 0 elsewhere. Throws
/// InvalidArgument where nothing says where to meet; PeerError when rank 0 cannot be found within the limit.
MeetingPlace find_meeting_place(const cluster::Membership& member, const std::string& interface,
                                std::chrono::milliseconds limit);

}  // namespace tandem::comm

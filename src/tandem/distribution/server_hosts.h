#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/cluster/address.h"

namespace tandem::distribute {

/// Which server each process pushes to where every host has a server of its own, by process. Servers on hosts of
/// different names: the one on the process's host, by the addresses of `ranks`; else, or where those are not known
/// (empty), neighbours share one, as many each. Throws InvalidArgument where a process has no server on its host, a
/// server no process, or they cannot be shared out.
std::vector<int64_t> servers_of_processes(const std::vector<std::string>& servers,
                                          const std::vector<cluster::Address>& ranks, int64_t processes);

/// Neighbours share one of `servers`, as many each: by worker. Throws InvalidArgument where that does not come out
/// even.
std::vector<int64_t> share_out(int64_t workers, int64_t servers, const std::string& what);

}  // namespace tandem::distribute

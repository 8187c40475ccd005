#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tandem/comm/processes.h"

namespace tandem::testing {

/// Runs `act` on threads at once, each as one of the processes of a job that meet on the loopback interface. `begins`:
/// by host its first rank, and the number of ranks; with one rank on each host all speak by Gloo and RankMail alone,
/// else those of a host through shared memory. What one throws is thrown here.
void run_hosts(const std::vector<int64_t>& begins, const std::function<void(std::shared_ptr<comm::Processes>)>& act);

}  // namespace tandem::testing

#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "tandem/comm/processes.h"

namespace tandem::testing {

/// Runs `act` on `n` threads at once, each as one of the processes of a job: rank() is a rank of one group of threads,
/// and spread() gives each its part of another that all share. Returns when all have ended. When one throws, the
/// others' collectives end with PeerError, and the first exception is thrown here. `limit_seconds`: how long one waits
/// for the others in a call. What is global to a process (random_root, set_random_seed, the log) is the same for all.
void run_processes(int64_t n, const std::function<void(std::shared_ptr<comm::Processes>)>& act,
                   double limit_seconds = 60);

}  // namespace tandem::testing

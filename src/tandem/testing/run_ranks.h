#pragma once
#include <cstdint>
#include <functional>

#include "tandem/comm/communicator.h"

namespace tandem::testing {

/// Runs `act` on `n` threads at once, each with the communicator of its rank in one group of threads, and returns when
/// all have ended. When one throws, the others' collectives end with PeerError, and the first exception is thrown here.
/// `limit_seconds`: how long a rank waits for the others.
void run_ranks(int64_t n, const std::function<void(comm::Communicator&)>& act, double limit_seconds = 30);

}  // namespace tandem::testing

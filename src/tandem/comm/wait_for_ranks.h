#pragma once
#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace tandem::comm {

/// Says in `store` that rank `own` has come to `place`, and returns when all of `ranks` have; from time to time it logs
/// who is missing. Throws PeerError that names them when the limit has passed.
void wait_for_ranks(c10d::Store& store, const std::string& place, int64_t own, int64_t ranks, double limit_seconds);

/// "rank 1", "ranks 1, 3"
std::string ranks_named(const std::vector<int64_t>& ranks);

}  // namespace tandem::comm

#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace tandem::comm {

/// Says in `store` that rank `own` has come to `what`, a word, and returns when all `ranks` have. Every five seconds
/// one line names those that are waited for. Throws PeerError that names them when the limit has passed.
void wait_for_ranks(c10d::Store& store, const std::string& what, int64_t own, int64_t ranks,
                    std::chrono::milliseconds limit);

/// "rank 1", "ranks 1, 3"
std::string named_ranks(const std::vector<int64_t>& ranks);

}  // namespace tandem::comm

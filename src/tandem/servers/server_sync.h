#pragma once
#include <cstdint>
#include <string>

namespace tandem::servers {

/// How the servers of several hosts, each of which has all parameters and workers of its own, bring them together.
///
/// all_reduce: each sends its parameters to all others, and goes on from the average: (H - 1) times the parameters
/// leave each of H servers, in one go. ring: the same average by a ring's reduce-scatter and all-gather: 2 (H - 1) / H
/// times the parameters, in 2 (H - 1) steps. In both the workers wait meanwhile. async_scatter_sum: as all_reduce, but
/// the workers train on, and what they changed meanwhile is added to the average; a server joins a round when another
/// has begun it.
enum class ServerSync : uint8_t { all_reduce, ring, async_scatter_sum };

/// "all-reduce", "ring" and "async-scatter-sum". Throws InvalidArgument on another name.
ServerSync server_sync(const std::string& name);
const char* name_of(ServerSync way);
/// Whether workers wait while the servers average.
inline bool holds_workers(ServerSync way) { return way != ServerSync::async_scatter_sum; }

}  // namespace tandem::servers
